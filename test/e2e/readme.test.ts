import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { binPath } from "../helpers/run-bin.ts";
import { tempDir } from "../helpers/temp-dir.ts";

// What the README tells a new person to paste, pasted into an empty folder, with what it shows as the answer.

interface Section {
  readonly script: string;
  /** What is shown, block by block. */
  readonly shown: readonly string[];
}

function sectionOf(title: string): Section {
  const readme = readFileSync("README.md", "utf8");
  const text = (readme.split(`\n${title}\n`)[1] ?? "").split(/\n##+ /)[0] ?? "";
  const blocks = [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language, code]) => ({ language, code }));
  const codeOf = (wanted: string): string[] =>
    blocks.filter(({ language }) => language === wanted).map(({ code = "" }) => code);
  return { script: codeOf("sh").join("\n"), shown: codeOf("").map((block) => block.trimEnd()) };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** Pastes a script into bash, in an empty folder, on another port than the one it names. */
async function paste(
  script: string,
): Promise<{ readonly cwd: string; readonly said: string; readonly exitCode: number }> {
  const cwd = tempDir();
  const bin = tempDir();
  mkdirSync(bin, { recursive: true });
  symlinkSync(binPath(), join(bin, "orgferry"));
  const { all, exitCode = 1 } = await execa(
    "bash",
    ["--norc", "--noprofile", "-c", script.replaceAll("8080", String(await freePort()))],
    {
      cwd,
      reject: false,
      all: true,
      extendEnv: false,
      env: { PATH: `${bin}:${process.env["PATH"]}` },
    },
  );
  return { cwd, said: all, exitCode };
}

test.skipIf(process.platform === "win32")(
  "the first screen ends with users who are imported and verified",
  async () => {
    const { script, shown } = sectionOf("## Try it on three users");
    const { said, exitCode } = await paste(`${script}\nended=$?; kill %1; wait; exit $ended`);
    expect(exitCode, said).toBe(0);
    expect(shown).toHaveLength(2);
    for (const block of shown) expect(said).toContain(block);
    expect(said).toContain("verified: 2 of 2 found, 2 as they should be");
  },
);

test.skipIf(process.platform === "win32")("the recipe for tables does what it shows", async () => {
  const { script, shown } = sectionOf("### From a CSV table");
  const { cwd, said, exitCode } = await paste(script);
  expect(exitCode, said).toBe(0);
  for (const block of shown) expect(said).toContain(block);
  expect(JSON.parse(readFileSync(join(cwd, "importBody.json"), "utf8")).dataOrgs.orgs[0].humanUsers).toHaveLength(3);
});
