import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { expandNames } from "../../../../src/io/input/patterns.ts";
import { tempDir } from "../../../helpers/temp-dir.ts";

function folder(...names: readonly string[]): string {
  const cwd = tempDir();
  mkdirSync(join(cwd, "parts", "part-9.json"), { recursive: true });
  for (const name of names) writeFileSync(join(cwd, name), "");
  return cwd;
}

test("a pattern stands for the matching files of its folder, sorted, without folders and hidden files", () => {
  const cwd = folder(
    "parts/part-2.json",
    "parts/part-1.json",
    "parts/part-1xjson",
    "parts/.part-3.json",
    "parts/other.json",
  );
  expect(expandNames(["parts/part-*.json"], cwd)).toEqual(["parts/part-1.json", "parts/part-2.json"]);
  expect(expandNames(["parts/part-?.json", "parts/part-1.json"], cwd)).toEqual([
    "parts/part-1.json",
    "parts/part-2.json",
  ]);
});

test("other names are unchanged, even if a file's name looks like a pattern", () => {
  const cwd = folder("a[*].json", "b.json");
  expect(expandNames(["b.json", "missing.json", "-", "a[*].json"], cwd)).toEqual([
    "b.json",
    "missing.json",
    "-",
    "a[*].json",
  ]);
});

test("a pattern without a match, or with a missing folder, is a missing file", () => {
  const cwd = folder("a.json");
  for (const name of ["b*.json", "nowhere/*.json"]) {
    expect(() => expandNames([name], cwd)).toThrow(
      expect.objectContaining({ problem: expect.objectContaining({ code: "input.missing", file: name }) }),
    );
  }
});

test("a file that is named twice, also in another way, is taken once, by its first name", () => {
  const cwd = folder("b.json");
  expect(expandNames(["./b.json", "b.json", join(cwd, "b.json"), "parts/../b.json"], cwd)).toEqual(["./b.json"]);
});
