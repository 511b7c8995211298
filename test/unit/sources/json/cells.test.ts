import { describe, expect, test } from "vitest";
import { JsonCells, type RowForm, type Value } from "../../../../src/sources/json/cells.ts";
import { readPath, readPaths } from "../../../../src/sources/json/paths.ts";
import { ReadPaths } from "../../../../src/sources/json/read-paths.ts";
import { UnreadStates } from "../../../../src/sources/mapped/unread-states.ts";

const form: RowForm = {
  pairs: undefined,
  metadataMembers: undefined,
  identities: undefined,
  links: [],
  reads: new ReadPaths(),
  unreadHashes: undefined,
  unreadStates: new UnreadStates(new Date()),
  notFound: new Set(),
};

function valuesOf(expression: string, isWhole = false): readonly Value[] {
  return readPaths(expression).map(({ text, path }) => ({ column: text, name: text, path, isWhole }));
}

/** What an expression finds in a row. */
function find(expression: string, row: object, isWhole = false): string | undefined {
  return new JsonCells(form).of(row).first(valuesOf(expression, isWhole));
}

const secrets = {
  secrets: [
    { type: "pin", value: "1" },
    { type: "password", value: "x" },
  ],
};

describe("a path finds", () => {
  test.each<[string, string, object, string | undefined]>([
    ["a member", "a", { a: "x" }, "x"],
    ["a member of a member", "a.b.c", { a: { b: { c: "x" } } }, "x"],
    ["a name in quotes, with dots", '"a.b:2.0".c', { "a.b:2.0": { c: "x" } }, "x"],
    ["a name with a colon or a blank", "custom:tenant", { "custom:tenant": "x" }, "x"],
    ["an element", "mails[1]", { mails: ["a", "x"] }, "x"],
    ["a part of a text with bars or commas", "mails[1]", { mails: "a | x" }, "x"],
    ["the element with a value", "secrets[type=password].value", secrets, "x"],
    ["the element with a value inside", "a[b.c=1].d", { a: [{ b: { c: 1 }, d: "x" }] }, "x"],
    ["the element that another value names", "mails[id=@first].to", { first: 7, mails: [{ id: 7, to: "x" }] }, "x"],
    ["all elements", "mails[].to", { mails: [{ to: "a" }, {}, { to: "b" }] }, "a|b"],
    ["the first of several that holds something", "a|b.c|d", { a: " ", b: null, d: "x" }, "x"],
    ["a value in a text of JSON", "meta.plan", { meta: '{"plan":"x"}' }, "x"],
    ["a number", "a", { a: 41 }, "41"],
    ["true", "a", { a: true }, "true"],
    ["false", "a", { a: false }, "false"],
    ["a list of texts", "a", { a: ["x", "y"] }, "x|y"],
    ["no object", "a", { a: { b: "x" } }, undefined],
    ["nothing that every object has", "constructor.name", {}, undefined],
    ["nothing in a text that is no JSON", "a.b", { a: "{broken" }, undefined],
    ["nothing where no element has the value", "secrets[type=none].value", secrets, undefined],
  ])("%s", (_, expression, row, text) => {
    expect(find(expression, row)).toBe(text);
  });

  test("an object as JSON, for metadata", () => {
    expect(find("a", { a: { b: [1] } }, true)).toBe('{"b":[1]}');
  });
});

test.each([["a..b"], ["a["], ["a[x]"], [""], ['"a']])("'%s' is no path", (text) => {
  expect(() => readPath(text)).toThrow("is no path");
});

test("a number that JSON.parse changes is a fault of the row", () => {
  const cells = new JsonCells(form).of(JSON.parse('{"id":12345678901234567890}') as object);
  cells.first(valuesOf("id"));
  expect([...cells.faults.values()]).toMatchObject([{ code: "field.type", field: "id" }]);
});

test("JSON in a text that is nested too deep is a fault of the row", () => {
  const cells = new JsonCells(form).of({ meta: `${"[".repeat(50_000)}${"]".repeat(50_000)}` });
  expect(cells.first(valuesOf("meta[0].a"))).toBeUndefined();
  expect([...cells.faults.values()]).toMatchObject([{ code: "field.too-deep", field: "meta[0].a" }]);
});

describe("what is left out", () => {
  const reads = new ReadPaths();
  for (const { path } of valuesOf("id|name.first|mails[type=work].to|tags|other[id=@main].to")) reads.add(path, false);
  reads.add(readPath("meta"), true);
  reads.addMembers("attributes", /^custom:/);

  test.each<[string, object, readonly string[] | undefined]>([
    ["nothing", { id: 1, name: { first: "x" }, meta: { a: { b: 1 } }, main: 1 }, undefined],
    ["members that nothing reads", { id: 1, plan: "x", name: { last: "y" } }, ["plan", "name.last"]],
    ["members of elements, each once", { mails: [{ type: "work", to: "x", at: 1 }, { at: 2 }] }, ["mails.at"]],
    ["an object where a text is read", { id: { a: 1 } }, ["id"]],
    ["no list of texts where a text is read", { tags: ["a"] }, undefined],
    ["nothing empty", { a: null, b: "", c: [], d: {}, e: false }, undefined],
    ["members by their names", { attributes: { "custom:a": 1, b: 2 } }, ["attributes.b"]],
  ])("%s", (_, row, paths) => {
    expect(reads.leftOut(row)).toEqual(paths);
  });
});
