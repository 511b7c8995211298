import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

/** The table of versions, the mock (it answers as one version), and texts for people that name a version. */
const MAY_NAME_VERSIONS = [
  /^src\/contract\/versions\.ts$/,
  /^src\/mock\//,
  /^src\/problem\//,
  /^src\/ui\//,
  /^src\/version\.ts$/,
];

/** A version of the service in a string of its own, or in the brackets of a comparison. */
const VERSION = /["'`]v?(?:2|3|4|5)\.\d+(?:\.\d+)?["'`]/;

function namesVersion(file: string, text: string): boolean {
  return !MAY_NAME_VERSIONS.some((pattern) => pattern.test(file)) && VERSION.test(text);
}

test("only the table of versions compares versions", () => {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  const found = files.map((file) => join("src", file)).filter((file) => namesVersion(file, readFileSync(file, "utf8")));
  expect(found).toEqual([]);
});

test("a comparison elsewhere is found", () => {
  expect(namesVersion("src/jobs/import/job.ts", 'if (version >= "4.2.0") run();')).toBe(true);
  expect(namesVersion("src/jobs/import/job.ts", "version.startsWith('v4.13')")).toBe(true);
  expect(namesVersion("src/contract/versions.ts", '["4.2.0", true]')).toBe(false);
});

test("each row of the table of supported versions is a test, and each column an instance of it", () => {
  const page = readFileSync("src/contract/README.md", "utf8");
  const tests = readFileSync("test/real/matrix.ts", "utf8");
  const [header = [], , ...rows] = page
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) => line.split("|").slice(1, -1));
  const titles = [...tests.matchAll(/^ {4}test\("([^"]+)"/gm)].map(([, title]) => title);
  expect(rows.map(([title]) => title?.trim())).toEqual(titles);
  const versions = readdirSync("test/real").filter((name) => /^matrix-.*\.test\.ts$/.test(name));
  expect(header.slice(1)).toHaveLength(versions.length);
  expect(rows.flat().filter((cell) => cell.trim() === "")).toEqual([]);
});
