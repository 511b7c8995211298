import { readdirSync, readFileSync } from "node:fs";
import { execa } from "execa";
import { expect, inject, test } from "vitest";
import { version } from "../../src/version.ts";
import { runBin } from "../helpers/run-bin.ts";

test("the package holds the program, its README and its licence, and nothing else", () => {
  const entries = readdirSync(inject("packedDir"), { recursive: true }).map(String);
  const topLevel = entries.filter((name) => !name.includes("/"));
  expect(topLevel.sort()).toEqual(["LICENSE", "README.md", "bin", "dist", "package.json"]);
  expect(entries.filter((name) => /test|fixture|\.ts$/.test(name))).toEqual([]);
});

test("every place that tells the version tells the same one", async () => {
  const manifest = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  expect(version).toBe(manifest.version);
  const { stdout, exitCode } = await runBin(["--version"]);
  expect({ stdout, exitCode }).toEqual({ stdout: manifest.version, exitCode: 0 });
});

test("the flag reference in the README is what the program says", async () => {
  const { exitCode, stderr } = await execa(process.execPath, ["test/scripts/flags.mjs", "--check"], { reject: false });
  expect(exitCode, stderr).toBe(0);
});
