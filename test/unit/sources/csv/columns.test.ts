import { describe, expect, test } from "vitest";
import { TableCells } from "../../../../src/sources/csv/cells.ts";
import { Columns } from "../../../../src/sources/csv/columns.ts";
import { presets } from "../../../../src/sources/csv/presets.ts";
import { UnreadStates } from "../../../../src/sources/mapped/unread-states.ts";

const NOTHING_UNREAD = {
  hashes: new Map(),
  columns: new Map(),
  states: new UnreadStates(new Date()),
  salts: new Map(),
};

/** What an expression finds in a row. */
function find(expression: string, row: Readonly<Record<string, string>>, hasApostrophes = false): string | undefined {
  const { cells } = new Columns(Object.keys(row)).cellsOf(expression);
  return new TableCells(hasApostrophes, [], NOTHING_UNREAD).of(Object.values(row)).first(cells);
}

describe("an expression finds", () => {
  test.each([
    ["a column in any spelling", "EmailAddress", { "e-mail Address": "x" }, "x"],
    ["the first of several that holds something", "a|b|c", { a: " ", b: "NULL", c: "x" }, "x"],
    ["nothing where databases write that nothing is there", "a|b", { a: "\\N", b: "" }, undefined],
    ["a value inside the JSON of a cell", "meta.name.first", { meta: '{"name":{"first":"x"}}' }, "x"],
    ["it also where the quotes were escaped once more", "meta.name", { meta: '{\\"name\\":\\"x\\"}' }, "x"],
    ["a number or a list as JSON", "meta.n", { meta: '{"n":[1,2]}' }, "[1,2]"],
    ["nothing in JSON that is broken, or not there", "meta.a|other.b", { meta: "{broken", other: "{}" }, undefined],
    ["nothing that every object has", "meta.constructor", { meta: "{}" }, undefined],
    ["an element of a list", "mails[1]", { mails: "a@x | b@x" }, "b@x"],
    ["a column whose name holds a dot or a bar", "a.b", { "a.b": "x", a: '{"b":"y"}' }, "x"],
    ["such a column first", "a|b", { "a|b": "x", a: "y" }, "x"],
    ["the text without the blanks around it", "a", { a: "  x y " }, "x y"],
    ["the longest name that is a column", "a.b.c", { "a.b": '{"c":"x"}', a: "{}" }, "x"],
  ])("%s", (_, expression, row, text) => {
    expect(find(expression, row)).toBe(text);
  });

  test("a part of a cell as it is, with blanks: a password may begin with one", () => {
    const [cell] = new Columns(["meta"]).cellsOf("meta.pw").cells;
    const cells = new TableCells(false, [], NOTHING_UNREAD).of(['{"pw":" x "}']);
    expect(cell && cells.verbatim(cell)).toBe(" x ");
  });

  test("an apostrophe is taken away once, where the provider writes one in front of each value", () => {
    expect(find("a", { a: "''t Hart" }, true)).toBe("'t Hart");
    expect(find("a", { a: "'t Hart" })).toBe("'t Hart");
  });
});

describe("a column that is not there", () => {
  const columns = new Columns(["id", "E-Mail", "first name", "First_Name"]);

  test.each([
    ["is named with one that is written much like it", "emial", [{ name: "emial", suggestion: "E-Mail" }]],
    ["alone when none is", "created_at", [{ name: "created_at" }]],
    ["each of several", "a_b|mail", [{ name: "a_b" }, { name: "mail", suggestion: "E-Mail" }]],
    ["as ambiguous when several would do", "FIRSTNAME", [{ name: "FIRSTNAME", isAmbiguous: true }]],
  ])("%s", (_, expression, missing) => {
    expect(columns.cellsOf(expression).missing).toEqual(missing);
  });

  test("of several that would do, the one that is written the same is meant", () => {
    expect(columns.cellsOf("First_Name").cells).toMatchObject([{ index: 3 }]);
  });
});

test("no two presets take one table for theirs, and all of their own columns are in it", () => {
  for (const preset of presets) {
    for (const signature of preset.signatures ?? []) {
      const columns = new Columns(signature);
      const fitting = presets.filter(({ signatures = [] }) => signatures.some((names) => columns.hasAll(names)));
      expect(fitting.map(({ id }) => id)).toEqual([preset.id]);
    }
  }
});
