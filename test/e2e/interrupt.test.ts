import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runBin } from "../helpers/run-bin.ts";
import { tempDir } from "../helpers/temp-dir.ts";

/** Keeps all threads of Node busy, so that the lookup of a name never ends, and reports when one has begun. */
const hook = (fifo: string): string => `
  const { open } = require("node:fs");
  const dns = require("node:dns");
  for (let thread = 0; thread < 4; thread += 1) open(${JSON.stringify(fifo)}, () => {});
  const { lookup } = dns;
  dns.lookup = (...args) => {
    process.stderr.write("looking up\\n");
    return lookup(...args);
  };
`;

// Windows has no signals of this kind.
test.skipIf(process.platform === "win32").each(["SIGINT", "SIGTERM"] as const)(
  "%s ends the program within two seconds during the lookup of a name that never ends",
  async (signal) => {
    const cwd = tempDir();
    execFileSync("sh", ["-c", 'mkfifo "$0"', join(cwd, "fifo")]);
    writeFileSync(join(cwd, "hook.cjs"), hook(join(cwd, "fifo")));
    const env = {
      ZITADEL_EXPORT_DOMAIN: "source.example",
      PAT_EXPORT_TOKEN: "pat-0123456789",
      NODE_OPTIONS: `--require ${join(cwd, "hook.cjs")}`,
    };
    const program = runBin(["export"], { cwd, env });
    await new Promise<void>((begun) => {
      program.stderr.on("data", (chunk) => String(chunk).includes("looking up") && begun());
    });
    const started = performance.now();
    program.kill(signal);
    const { exitCode, signal: killedBy, stderr } = await program;
    expect(performance.now() - started).toBeLessThan(2_000);
    expect(stderr).toContain("interrupted; nothing was written");
    // A shell calls both 130 or 143.
    expect(exitCode ?? killedBy).toBe(signal);
  },
);
