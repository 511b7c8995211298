import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import { execa } from "execa";
import { beforeAll, expect, test } from "vitest";
import { blobOf } from "../helpers/blob-of.ts";
import { blocksOf } from "../helpers/pages.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { buildExecutable, ownPlatform, platforms } from "../scripts/executables.mjs";
import { archive, notesOf } from "../scripts/release.mjs";

const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };

/** Runs a step of the release in this folder or in a copy of it. */
function step(cwd: string, ...args: readonly string[]): void {
  execFileSync(process.execPath, ["test/scripts/release.mjs", ...args], { cwd, stdio: ["ignore", "ignore", "pipe"] });
}

/** A copy of the repository in another folder, as another machine has it. */
function elsewhere(): string {
  const copy = tempDir();
  for (const name of [
    "bin",
    "dist",
    "src",
    "test",
    "fixtures",
    "package.json",
    "tsconfig.json",
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
  ])
    cpSync(name, join(copy, name), { recursive: true });
  symlinkSync(resolve("node_modules"), join(copy, "node_modules"), "dir");
  return copy;
}

let release = "";
let executable = "";

beforeAll(() => {
  release = resolve("node_modules/.cache/orgferry-release");
  rmSync(release, { recursive: true, force: true });
  step(".", "package", release);
  step(".", "executable", release);
  const unpacked = join(release, "unpacked");
  mkdirSync(unpacked);
  execFileSync("tar", ["-xzf", join(release, `orgferry-${version}-${ownPlatform}.tar.gz`), "-C", unpacked]);
  executable = join(unpacked, process.platform === "win32" ? "orgferry.exe" : "orgferry");
});

test("a second build in another folder gives the same bytes", async () => {
  const copy = elsewhere();
  execFileSync(process.execPath, ["test/scripts/build.mjs"], { cwd: copy, stdio: ["ignore", "ignore", "pipe"] });
  step(copy, "package", join(copy, "release"));
  step(copy, "executable", join(copy, "release"));
  const sumsIn = (folder: string) =>
    readdirSync(folder)
      .filter((name) => statSync(join(folder, name)).isFile())
      .map((name) => [
        name,
        createHash("sha256")
          .update(readFileSync(join(folder, name)))
          .digest("hex"),
      ]);
  expect(sumsIn(join(copy, "release"))).toEqual(sumsIn(release));
});

test("the sums name every file of a release, and a missing file is an error", () => {
  const folder = tempDir();
  for (const name of readdirSync(release).filter((name) => name.startsWith("orgferry")))
    cpSync(join(release, name), join(folder, name));
  expect(() => step(".", "sums", folder)).toThrow();
  for (const name of Object.keys(platforms)) writeFileSync(join(folder, `orgferry-${version}-${name}.tar.gz`), name);
  step(".", "sums", folder);
  expect(readFileSync(join(folder, "SHA256SUMS"), "utf8").split("\n")).toHaveLength(Object.keys(platforms).length + 4);
  expect(() => execFileSync("sha256sum", ["--check", "--quiet", "SHA256SUMS"], { cwd: folder })).not.toThrow();
});

test("the list of parts names every package with a license in the package, and nothing else", () => {
  const parts = JSON.parse(readFileSync(join(release, `orgferry-${version}.cdx.json`), "utf8"));
  expect(parts).toMatchObject({ bomFormat: "CycloneDX", specVersion: "1.6", metadata: { component: { version } } });
  const named = (parts.components as { name: string; version: string }[]).map((one) => `${one.name} ${one.version}`);
  const licenses = readFileSync("dist/LICENSES.txt", "utf8").split("\n----\n\n");
  expect(licenses.map((text) => text.split(" (")[0])).toEqual(named);
});

test("the notes are the section of the version", () => {
  expect(
    notesOf("# C\n\n## [Unreleased]\n\n- b\n\n## [1.2.3] - 2026-01-01\n\n- a\n\n[1.2.3]: https://x\n", "1.2.3"),
  ).toBe("- a\n");
  expect(() => notesOf("## [1.2.3]", "1.2.4")).toThrow("no section for 1.2.4");
});

test("an archive is what tar reads, with its modes", () => {
  const dir = tempDir();
  const zipped = archive([
    { name: "a/run", content: Buffer.from("#!/bin/sh\n"), mode: 0o755 },
    { name: "b.txt", content: Buffer.alloc(512, "b") },
  ]);
  writeFileSync(join(dir, "a.tar.gz"), zipped);
  expect(gunzipSync(zipped).length % 512).toBe(0);
  execFileSync("tar", ["-xzf", "a.tar.gz"], { cwd: dir });
  expect(statSync(join(dir, "a/run")).mode % 0o1000).toBe(0o755);
  expect(readFileSync(join(dir, "b.txt"), "utf8")).toBe("b".repeat(512));
});

/** One of each format; with ORGFERRY_TEST_LONG, all. */
const others = Object.keys(platforms).filter((name) => name !== ownPlatform);
const assembled = process.env["ORGFERRY_TEST_LONG"] === undefined ? ["macos-arm64", "windows-x64"] : others;

test.each(assembled.filter((name) => name !== ownPlatform))(
  "the executable for %s has the blob where its loader looks for it",
  async (name) => {
    const { path, blob } = await buildExecutable(name, tempDir());
    const file = readFileSync(path);
    expect(blobOf(file)?.equals(blob)).toBe(true);
    // Node looks for a blob only if this is set.
    expect(file.includes("NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:1")).toBe(true);
    rmSync(path);
  },
);

test("the executable tells its version, its build and its Node", async () => {
  const { stdout } = await execa(executable, ["--version", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({ version, build: "executable", commit: null });
});

/** The tests that use most of what is different in an executable: threads, assets, pipes, packages that are loaded late. */
const WHOLE = ["inputs", "migrate", "mock", "outputs"].map((name) => `test/e2e/${name}.test.ts`);

test("tests of the whole program, and the demo, pass with the executable", async () => {
  const vitest = ["node_modules/vitest/vitest.mjs", "run", "--config", "test/vitest.config.ts", ...WHOLE];
  for (const args of [vitest, ["test/scripts/demo.mjs"]]) {
    const { exitCode, all } = await execa(process.execPath, args, {
      env: { ORGFERRY: executable },
      all: true,
      reject: false,
    });
    expect(exitCode, all).toBe(0);
  }
});

test.each([
  ["completion", ["completion", "bash"], "complete -F _orgferry orgferry"],
  ["the manual", ["man-page"], ".TH ORGFERRY 1"],
  ["help", ["help", "import"], "--target"],
])("%s is in the executable", async (_, args, text) => {
  const { stdout } = await execa(executable, args, { extendEnv: false });
  expect(stdout).toContain(text);
});

test("two threads hash passwords, and the page is written", async () => {
  const cwd = tempDir();
  const rows = Array.from({ length: 40 }, (_, row) => `${row},u${row}@example.com,User ${row},secret-${row}`);
  writeFileSync(join(cwd, "users.csv"), ["id,email,name,password", ...rows, ""].join("\n"));
  const map = ["--map", "userId=id,email=email,name=name,password=password", "--plain-passwords"];
  const args = ["migrate", "csv", "--org", "1", "--users", "users.csv", ...map, "--json", "--html", "page.html"];
  const { stdout, exitCode, stderr } = await execa(executable, args, { cwd, extendEnv: false, reject: false });
  expect(exitCode, stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ users: { written: 40 } });
  expect(readFileSync(join(cwd, "page.html"), "utf8")).toMatch(/^<!doctype html>/i);
  expect(readFileSync(join(cwd, "importBody.json"), "utf8").match(/\$2[aby]\$/g)).toHaveLength(40);
});

/** The commands of README's first example, up to the migration. */
const FIRST = blocksOf("README.md").find(({ text }) => text.includes("mkdir try-orgferry"))?.text ?? "";

test("README's first example runs with the executable alone, without Node in the path", async () => {
  const cwd = tempDir();
  mkdirSync(join(cwd, "bin"));
  symlinkSync(executable, join(cwd, "bin/orgferry"));
  for (const tool of ["mkdir", "cat"]) symlinkSync(`/bin/${tool}`, join(cwd, "bin", tool));
  const env = { PATH: join(cwd, "bin") };
  const none = await execa("/bin/sh", ["-c", "command -v node"], { cwd, extendEnv: false, env, reject: false });
  expect(none.exitCode).not.toBe(0);
  const { stderr, exitCode } = await execa("/bin/sh", ["-c", FIRST], { cwd, extendEnv: false, env, reject: false });
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: expect.stringContaining("read 3 = written 2 + rejected 1"),
  });
});

test("README's first example runs with the package, installed into an empty folder", async () => {
  const cwd = tempDir();
  const tarball = join(release, `orgferry-${version}.tgz`);
  const install = ["install", "--offline", "--no-audit", "--no-fund", "--prefix", cwd, tarball];
  execFileSync("npm", install, { cwd, stdio: "pipe", shell: process.platform === "win32" });
  expect(readdirSync(join(cwd, "node_modules")).filter((name) => !name.startsWith("."))).toEqual(["orgferry"]);
  const env = { ...process.env, PATH: `${join(cwd, "node_modules/.bin")}:${process.env["PATH"]}` };
  const { stderr, exitCode } = await execa("/bin/sh", ["-c", FIRST], { cwd, env, reject: false });
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: expect.stringContaining("read 3 = written 2 + rejected 1"),
  });
});
