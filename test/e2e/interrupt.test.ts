import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startTcp } from "../helpers/hostile-server.ts";
import { runBin } from "../helpers/run-bin.ts";
import { tempDir } from "../helpers/temp-dir.ts";

// Windows has no signals of this kind.
test.skipIf(process.platform === "win32").each(["SIGINT", "SIGTERM"] as const)(
  "%s ends the program within two seconds, though a thread waits for something that never comes",
  async (signal) => {
    const cwd = tempDir();
    execFileSync("sh", ["-c", 'mkfifo "$0"', join(cwd, "fifo")]);
    const hook = join(cwd, "hook.cjs");
    // Stands for the look-up of a name that no server answers: both hold a thread of Node's.
    writeFileSync(hook, `require("fs").open(${JSON.stringify(join(cwd, "fifo"))}, () => {});`);
    let onRequest: () => void = () => {};
    const requested = new Promise<void>((resolve) => {
      onRequest = resolve;
    });
    const { url } = await startTcp((socket) => socket.once("data", () => onRequest()));
    const env = { ZITADEL_EXPORT_DOMAIN: url, PAT_EXPORT_TOKEN: "pat-0123456789", NODE_OPTIONS: `--require ${hook}` };
    const program = runBin(["export"], { cwd, env });
    await requested;
    const started = performance.now();
    program.kill(signal);
    const { exitCode, signal: killedBy, stderr } = await program;
    expect(performance.now() - started).toBeLessThan(2_000);
    expect(stderr).toContain("interrupted; nothing was written");
    // A shell calls both 130 or 143.
    expect(exitCode ?? killedBy).toBe(signal);
  },
);
