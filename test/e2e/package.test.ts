import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join, relative } from "node:path";
import { execa } from "execa";
import { expect, inject, test } from "vitest";
import { version } from "../../src/version.ts";
import { linksOf, packedPages } from "../helpers/pages.ts";
import { isExecutable, runBin } from "../helpers/run-bin.ts";

test("the package holds the program, its licence and the pages for users, the files of scheduled jobs, and nothing else", () => {
  const files = readdirSync(inject("packedDir"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(inject("packedDir"), join(parentPath, name)).replaceAll("\\", "/"));
  const others = files.filter((name) => !/^(bin|dist)\/|^fixtures\/deploy\/(?!README)/.test(name));
  expect(others.sort()).toEqual(["LICENSE", "README.md", "package.json", ...packedPages].sort());
  const jobs = files.filter((name) => name.startsWith("fixtures/deploy/"));
  expect(jobs.filter((name) => !/\.(ya?ml|md|service|timer|crontab)$|Dockerfile$/.test(name))).toEqual([]);
  expect(jobs).toContain("fixtures/deploy/github-actions-copy.yaml");
  expect(files.filter((name) => !jobs.includes(name) && /test|fixture|\.ts$/.test(name))).toEqual([]);
});

test("the links of README.md to pages of commands and providers lead to a file of the package", () => {
  const targets = new Set(linksOf("README.md").map(({ target }) => target));
  const { length } = readdirSync("src/commands", { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const linked = packedPages.filter((page) => targets.has(page));
  expect(linked.length).toBeGreaterThan(length);
  expect(linked.filter((page) => !existsSync(join(inject("packedDir"), page)))).toEqual([]);
});

/** What the package may take, in bytes. */
const MOST = { packed: 2e6, installed: 6.6e6 };

test("the package depends on nothing, is small, and has the license of everything in it", () => {
  const dir = inject("packedDir");
  const manifest = JSON.parse(readFileSync(join(dir, "package.json"), "utf8"));
  for (const key of ["dependencies", "optionalDependencies", "peerDependencies"])
    expect(manifest).not.toHaveProperty(key);
  const files = readdirSync(dir, { recursive: true, encoding: "utf8" }).filter((name) =>
    statSync(join(dir, name)).isFile(),
  );
  expect(files.filter((name) => name.endsWith(".map"))).toEqual([]);
  // As a file system counts: in blocks.
  const installed = files.reduce((sum, name) => sum + 4096 * Math.ceil(statSync(join(dir, name)).size / 4096), 0);
  expect(installed).toBeLessThan(MOST.installed);
  const [tarball = ""] = readdirSync(dirname(dir)).filter((name) => name.endsWith(".tgz"));
  expect(statSync(join(dirname(dir), tarball)).size).toBeLessThan(MOST.packed);
  const licenses = readFileSync(join(dir, "dist/LICENSES.txt"), "utf8");
  for (const name of ["commander", "zod", "undici", "ora", "chalk", "ndjson", "@bufbuild/protobuf", "@zitadel/proto"])
    expect(licenses).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(`, "m"));
  const empty = licenses.split("\n----\n\n").filter((text) => !/copyright|warranty/i.test(text));
  expect(empty).toEqual([]);
});

test("the built files load only modules of Node and each other", () => {
  const dist = join(inject("packedDir"), "dist");
  const loaded = readdirSync(dist)
    .filter((name) => name.endsWith(".cjs"))
    .flatMap((name) => [...readFileSync(join(dist, name), "utf8").matchAll(/\b(?:require|import)\("([^"]+)"\)/g)])
    .map(([, name]) => name as string);
  expect(
    [...new Set(loaded)].filter((name) => !name.startsWith("./") && !name.startsWith("node:") && !isBuiltin(name)),
  ).toEqual([]);
});

test("every place that tells the version tells the same one", async () => {
  const manifest = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  expect(version).toBe(manifest.version);
  const { stdout, exitCode } = await runBin(["--version"]);
  expect({ stdout, exitCode }).toEqual({ stdout: manifest.version, exitCode: 0 });
});

test("--version --json names the build", async () => {
  const { stdout } = await runBin(["--version", "--json"]);
  const { platform, arch, versions } = process;
  const expected = { version, commit: null, build: "package", platform: `${platform}-${arch}`, node: versions.node };
  if (!isExecutable) expect(JSON.parse(stdout)).toEqual(expected);
  expect((await runBin(["--version", "--json", "--quiet"])).stdout).toBe(version);
});

test("the help in the pages of the commands is what the program prints", async () => {
  const { exitCode, stderr } = await execa(process.execPath, ["test/scripts/flags.mjs", "--check"], { reject: false });
  expect(exitCode, stderr).toBe(0);
});

test("the package ships what its manifest points at: the manual and the schema of the report", () => {
  const read = (path: string): string => readFileSync(join(inject("packedDir"), path), "utf8");
  const { man, exports } = JSON.parse(read("package.json")) as { man: string[]; exports: Record<string, string> };
  // As a list: npm 11 links no manual page that is named by a string alone (tried).
  expect(man.map((path) => read(path).slice(0, 12))).toEqual(man.map(() => ".TH ORGFERRY"));
  const pages = readdirSync(join(inject("packedDir"), "dist")).filter((name) => name.endsWith(".1"));
  expect(man.toSorted()).toEqual(pages.map((name) => `dist/${name}`).toSorted());
  const schema = JSON.parse(read(exports["./report.schema.json"] as string));
  expect(schema.$schema).toBe("https://json-schema.org/draft/2020-12/schema");
  // A reader of reports must not stumble over a key that a later version adds.
  expect(JSON.stringify(schema)).not.toContain('"additionalProperties":false');
});
