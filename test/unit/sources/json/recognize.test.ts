import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { findRows } from "../../../../src/core/merge/find-rows.ts";
import { lists, presets } from "../../../../src/sources/json/presets.ts";
import { recognizeRows } from "../../../../src/sources/json/recognize.ts";

const fixtures = readdirSync("fixtures/json").filter((name) => presets.some(({ id }) => id === name.split("-")[0]));

test.each(fixtures)("%s is recognized, by one preset", (name) => {
  const bytes = readFileSync(`fixtures/json/${name}/users.json`);
  const found = findRows({ file: "", bytes }, { kind: "found", lists }, { list: undefined, strictLines: false });
  expect(recognizeRows(found).id).toBe(name.split("-")[0]);
});

test("every preset has a fixture", () => {
  expect(new Set(fixtures.map((name) => name.split("-")[0]))).toEqual(new Set(presets.map(({ id }) => id)));
});

test("keys that are values of a user are not said", () => {
  const rows = [{ "ann@example.com": { name: "Ann" }, "5f7c8ec7c33c6c004bbafe82": 1, mail: "x" }];
  expect(() => recognizeRows({ shape: { kind: "rows" }, rows, keys: [] })).toThrow(
    expect.objectContaining({ problem: expect.objectContaining({ paths: ["mail"] }) }),
  );
});
