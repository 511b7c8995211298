import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { expect, inject, test } from "vitest";
import { blocksOf } from "../helpers/pages.ts";
import { tempDir } from "../helpers/temp-dir.ts";

// `orgferry/mock` as another project has it: the packed files in its node_modules.

const installed = (...path: string[]): string =>
  fileURLToPath(new URL(join("../../node_modules", ...path), import.meta.url));

/** A project that has orgferry and these packages, with these files. */
function project(files: Readonly<Record<string, string>>, packages: readonly string[] = []): string {
  const dir = tempDir();
  mkdirSync(join(dir, "node_modules"));
  symlinkSync(inject("packedDir"), join(dir, "node_modules/orgferry"), "dir");
  for (const name of packages) symlinkSync(installed(name), join(dir, "node_modules", name), "dir");
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
  return dir;
}

/** The example of the mock's page. */
function example(): string {
  return blocksOf("src/mock/README.md").find(({ language }) => language === "ts")?.text ?? "";
}

test("the example of the page passes in a project with vitest", async () => {
  const dir = project({ "package.json": '{"type":"module"}', "example.test.ts": example() }, ["vitest"]);
  const vitest = installed("vitest/vitest.mjs");
  const { all, exitCode } = await execa(process.execPath, [vitest, "run", "--root", dir], {
    cwd: dir,
    reject: false,
    all: true,
    extendEnv: false,
    env: { PATH: process.env["PATH"], NO_COLOR: "1" },
  });
  expect(exitCode, all).toBe(0);
  expect(all).toContain("2 passed");
});

const use = 'createMockServer({ mimic: "v2" }).then(async (mock) => { console.log(mock.url); await mock.close(); });';

test.each([
  ["use.mjs", `import { createMockServer } from "orgferry/mock";\n${use}`],
  ["use.cjs", `const { createMockServer } = require("orgferry/mock");\n${use}`],
])("%s starts it and stops it", async (file, text) => {
  const dir = project({ [file]: text });
  const { stdout } = await execa(process.execPath, [file], { cwd: dir, extendEnv: false });
  expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
});

const typed = `
import { createMockServer, type FaultInput, type LoggedRequest, type Mail, type MockOptions, type MockServer } from "orgferry/mock";
const options: MockOptions = { mimic: "v4", without: { users: 501 }, verifiers: ["argon2"], onRequest: (request: LoggedRequest) => void request.path };
const fault: FaultInput = { endpoint: "export", fault: "lag", users: 3 };
export async function use(): Promise<readonly Mail[]> {
  const mock: MockServer = await createMockServer(options);
  mock.addFault(fault);
  // @ts-expect-error there is no such endpoint
  mock.addFault({ endpoint: "nowhere", fault: "429" });
  return mock.mails();
}
`;

test.each([
  ["use.mts", "nodenext"],
  ["use.cts", "nodenext"],
  ["use.ts", "bundler"],
])("%s has its types (%s), without a package of types and without leaving out libraries", async (file, resolution) => {
  const dir = project({ [file]: typed });
  const options = ["--strict", "--noEmit", "--target", "es2022", "--types", "", "--exactOptionalPropertyTypes"];
  const module = ["--module", resolution === "bundler" ? "esnext" : resolution, "--moduleResolution", resolution];
  const run = execa(process.execPath, [installed("typescript/bin/tsc"), ...options, ...module, file], {
    cwd: dir,
    reject: false,
  });
  const { exitCode, stdout } = await run;
  expect(exitCode, stdout).toBe(0);
});

test("its types refer to no other file and no package", () => {
  const types = readFileSync(join(inject("packedDir"), "dist/mock.d.cts"), "utf8");
  expect(types).not.toMatch(/^import |import\(| from "|<reference/m);
  expect(existsSync(join(inject("packedDir"), "dist/api.d.ts"))).toBe(false);
});
