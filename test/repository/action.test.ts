import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { execa } from "execa";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { tempDir } from "../helpers/temp-dir.ts";
import { platforms } from "../scripts/executables.mjs";
import { archive } from "../scripts/release.mjs";

const SCRIPT = resolve(".github/actions/orgferry/install.sh");
const NAMES = Object.keys(platforms);

/** The files of a release whose executables print their name; `sumOf` gives the sum of a file. */
function releaseFiles(sumOf = (content: Buffer) => createHash("sha256").update(content).digest("hex")): string {
  const folder = tempDir();
  const sums = NAMES.map((name) => {
    const file = `orgferry-1.2.3-${name}.tar.gz`;
    const program = { name: "orgferry", content: Buffer.from(`#!/bin/sh\necho ${name}\n`), mode: 0o755 };
    const content = archive([program]);
    writeFileSync(join(folder, file), content);
    return `${sumOf(content)}  ${file}\n`;
  });
  writeFileSync(join(folder, "SHA256SUMS"), sums.join(""));
  return pathToFileURL(folder).href;
}

/** Runs the script on a machine that `uname` describes. */
async function install(release: string, system: string, processor: string) {
  const cwd = tempDir();
  mkdirSync(join(cwd, "bin"));
  writeFileSync(join(cwd, "bin/uname"), `#!/bin/sh\n[ "$1" = -s ] && echo ${system} || echo ${processor}\n`);
  chmodSync(join(cwd, "bin/uname"), 0o755);
  const env = { PATH: `${join(cwd, "bin")}:${process.env["PATH"]}` };
  const folder = join(cwd, "installed");
  return { folder, ...(await execa("sh", [SCRIPT, "1.2.3", folder, release], { cwd, env, reject: false })) };
}

const MACHINES = [
  ["Linux", "x86_64", "linux-x64"],
  ["Linux", "aarch64", "linux-arm64"],
  ["Darwin", "x86_64", "macos-x64"],
  ["Darwin", "arm64", "macos-arm64"],
  ["MINGW64_NT-10.0", "x86_64", "windows-x64"],
  ["MSYS_NT-10.0", "aarch64", "windows-arm64"],
] as const;

test.skipIf(process.platform === "win32").each(MACHINES)(
  "%s on %s gets the executable for %s",
  async (system, processor, name) => {
    const { stdout, stderr, exitCode, folder } = await install(releaseFiles(), system, processor);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toBe(folder);
    expect(execFileSync(join(folder, "orgferry"), { encoding: "utf8" })).toBe(`${name}\n`);
  },
);

test("every platform of a release is the one of a machine", () => {
  expect(MACHINES.map(([, , name]) => name).sort()).toEqual([...NAMES].sort());
});

test.skipIf(process.platform === "win32")("a file with another checksum is deleted and not unpacked", async () => {
  const { stderr, exitCode, folder } = await install(
    releaseFiles(() => "0".repeat(64)),
    "Linux",
    "x86_64",
  );
  expect(exitCode).toBe(1);
  expect(stderr).toContain("its checksum differs");
  expect(existsSync(join(folder, "orgferry"))).toBe(false);
  expect(existsSync(join(folder, "orgferry-1.2.3-linux-x64.tar.gz"))).toBe(false);
});

test.skipIf(process.platform === "win32")(
  "a file without a checksum, a missing file and an unknown machine are errors",
  async () => {
    const release = releaseFiles();
    writeFileSync(join(new URL(`${release}/`).pathname, "SHA256SUMS"), "");
    expect(await install(release, "Linux", "x86_64")).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("does not name"),
    });
    expect((await install(`${release}/none`, "Linux", "x86_64")).exitCode).not.toBe(0);
    expect(await install(release, "SunOS", "sparc")).toMatchObject({
      exitCode: 1,
      stderr: "orgferry has no executable for SunOS",
    });
  },
);

test("the action runs the script of its folder, and gives its inputs as variables of the environment alone", () => {
  const action = parse(readFileSync(".github/actions/orgferry/action.yml", "utf8"));
  expect(action.runs.using).toBe("composite");
  const lines = action.runs.steps.map((step: { run: string }) => step.run) as string[];
  expect(lines.filter((line) => line.includes("${{"))).toEqual([]);
  expect(action.runs.steps[0].env.INSTALL).toBe(`\${{ github.action_path }}/${SCRIPT.split("/").at(-1)}`);
});
