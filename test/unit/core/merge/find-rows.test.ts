import { expect, test } from "vitest";
import { findRows } from "../../../../src/core/merge/find-rows.ts";

const shape = { kind: "found", lists: ["users", "data"] } as const;
const find = (text: string, list?: readonly string[]) =>
  findRows({ file: "users.json", bytes: Buffer.from(text) }, shape, { list, strictLines: false });
const rows = { kind: "rows" };
const users = { kind: "document", list: ["users"] };

test.each<[string, string, object, number]>([
  ["NDJSON", '{"id":1}\n{"id":2}\n', rows, 2],
  ["a last line without an end", '{"id":1}\n{"id":2}', rows, 2],
  ["an array", '[{"id":1},\n{"id":2}]', rows, 2],
  ["an array that is cut off", '[{"id":1},{"id":', rows, 1],
  ["objects of several lines", '{\n"id":1\n}\n{\n"id":2\n}\n', rows, 2],
  ["a document with a list", '{"total":2,"users":[{"id":1},{"id":2}]}', users, 2],
  ["a document that is cut off", '{"users":[{"id":1},{"id":', users, 1],
  ["an array of documents", '[{"users":[{"id":1}]},{"users":[{"id":2}]}]', users, 2],
  ["rows with a list of that name", '{"id":1,"users":[{"id":2}]}', rows, 1],
  ["rows with such a list of texts", '{"key":1,"data":["a"]}', rows, 1],
  ["nothing", "", rows, 0],
])("%s", (_, text, found, count) => {
  const { shape: is, rows: read } = find(text);
  expect([is, read.length]).toEqual([found, count]);
});

test("the named list counts, at any depth", () => {
  const found = find('{"users":[{"id":1}],"result":{"people":[{"id":2},{"id":3}]}}', ["result", "people"]);
  expect(found.shape).toEqual({ kind: "document", list: ["result", "people"] });
  expect(found.rows).toEqual([{ id: 2 }, { id: 3 }]);
});
