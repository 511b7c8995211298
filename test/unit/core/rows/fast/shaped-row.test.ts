import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { viewOf } from "../../../../../src/core/json/words.ts";
import { type RowUses, ShapedRow, type ValueUse } from "../../../../../src/core/rows/fast/shaped-row.ts";

/** Reads any object; its one wanted field is the string `a`, and `five5` is a flag. */
function anyRow(): ShapedRow {
  const members = new Map<string, RowUses>([
    ["a", leaf({ use: "wanted", field: 0 })],
    ["five5", leaf({ use: "flag" })],
  ]);
  return new ShapedRow({ use: undefined, members, others: leaf({ use: "any" }), elements: undefined }, 1);
}

function leaf(use: ValueUse): RowUses {
  return { use, members: new Map(), others: undefined, elements: undefined };
}

/** The same row, read by a reader that has seen no other row and so knows no shape. */
function readAlone(row: string): string {
  return shown(anyRow(), row);
}

/** What was read, or that it could not be. The row stands between others, so that a reader that runs on is found out. */
function shown(reader: ShapedRow, row: string): string {
  const bytes = Buffer.from(`{"a":"before"}${row}{"a":"behind"}`);
  const start = 14;
  const end = bytes.length - 14;
  if (reader.read(viewOf(bytes), start, end) === 0) return "no shape";
  const [from = 0, to = 0] = reader.spans;
  return `${bytes.toString("utf8", from, to)} ${from === 0}`;
}

const key = fc.constantFrom("a", "b", "five5", "long key", "ü");
const text = fc.constantFrom(
  "",
  "x",
  "three",
  '"',
  "\\",
  "\n",
  "two words and more",
  "ü王",
  "0",
  "null",
  '","a":"',
  "\u0001",
  "\ud800",
  "/",
);
const scalar = fc.oneof(text, fc.constantFrom(0, -7, 12, 1.5, 1e30, true, false, null));
const value = fc.oneof(
  { weight: 4, arbitrary: scalar },
  fc.constantFrom([], {}, ["x", 1], { a: "inner" }, [{ five5: null }, "y"]),
);
/** Strings that JSON.stringify would not write. */
const raw = fc.constantFrom(
  '"\\x"',
  '"\\u12g4"',
  '"\\u12"',
  '"\\"',
  '"\\/\\u00e9\\u00E9"',
  '"\t"',
  "tru",
  "01",
  "-",
  "1e5",
  '"',
  "[1,]",
);
/** Keys may come twice, which objects cannot have. */
const row = fc
  .array(fc.tuple(key, fc.oneof({ weight: 20, arbitrary: value.map((v) => JSON.stringify(v)) }, raw)), { maxLength: 5 })
  .chain((entries) =>
    fc.constantFrom(
      `{${entries.map(([k, v]) => `"${k}":${v}`).join(",")}}`,
      `{ ${entries.map(([k, v]) => `"${k}" : ${v}`).join(" ,\t")} }`,
      `{${entries.map(([k, v]) => `"${k}":${v}`).join(",")}`,
    ),
  );

test("a row reads the same whatever rows were read before it", () => {
  const many = fc.array(row, { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(many, (rows) => {
      const reader = anyRow();
      for (const one of [...rows, ...rows]) expect(shown(reader, one)).toBe(readAlone(one));
    }),
    { numRuns: 300 * Number(process.env["PROPERTY_RUNS"] ?? 1) },
  );
});

test("what has a shape is what JSON.parse reads", () => {
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 20 }), (rows) => {
      const reader = anyRow();
      for (const one of [...rows, ...rows]) {
        const read = shown(reader, one);
        if (read === "no shape") continue;
        const { a = null, five5 = null } = JSON.parse(one) as { a?: string | null; five5?: boolean | null };
        expect(read).toBe(`${a ?? ""} ${(a ?? "") === ""}`);
        expect([true, false, null]).toContain(five5);
      }
    }),
  );
});

test("rows of one shape differ in nothing but the values that the uses name", () => {
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 40 }), (rows) => {
      const reader = anyRow();
      const byShape = new Map<number, string>();
      for (const one of [...rows, ...rows]) {
        const bytes = Buffer.from(one);
        const shape = reader.read(viewOf(bytes), 0, bytes.length);
        if (shape === 0) continue;
        const { five5, ...others } = JSON.parse(one) as { a?: string | null; five5?: boolean | null };
        const hasText = (others.a ?? "") !== "";
        const meaning = JSON.stringify([Object.keys(others), five5, hasText ? "text" : others.a]);
        expect(byShape.get(shape) ?? meaning).toBe(meaning);
        byShape.set(shape, meaning);
      }
    }),
  );
});

/** The uses of a row in which each key has the use of its name. */
const everyUse: RowUses = {
  use: undefined,
  members: new Map<string, RowUses>([
    ["wanted", leaf({ use: "wanted", field: 0 })],
    ["needed", leaf({ use: "wanted", field: 0, mayBeEmpty: false })],
    ["any-text", leaf({ use: "any-text" })],
    ["any-number", leaf({ use: "any-number" })],
    ["any", leaf({ use: "any" })],
    ["text", leaf({ use: "text" })],
    ["flag", leaf({ use: "flag" })],
    ["empty", leaf({ use: "empty" })],
    ["whole-object", { ...leaf({ use: "whole-object" }), members: new Map([["a", leaf({ use: "any" })]]) }],
    ["unusual", leaf({ use: "unusual" })],
  ]),
  others: undefined,
  elements: undefined,
};

test.each<readonly [name: string, first: readonly string[], same: readonly string[], other: readonly string[]]>([
  ["wanted", ['"one"'], ['"another"'], ["null", '""', '"o\\ne"', "5", "[]"]],
  ["needed", ['"one"'], ['"another"'], ["null", '""', "5"]],
  ["any-text", ['"one"'], ['"o\\ne"'], ["null", '""', "5"]],
  ["any-number", ["5"], ["-12"], ["null", '"5"', "5.5", "05"]],
  ["any", ["5"], ["-7"], ["null", '"x"', "[]", "5.5"]],
  ["any", ['"x"'], ['""', '"o\\ne"'], ["null", "5", "[]"]],
  ["any", ["[1]"], ["[]", '[{"a":[true,"x",-2]}]', '{"a":null}'], ["null", "5", "[1.5]", "[1"]],
  ["text", ['"one"'], ['""', '"o\\ne"'], ["null", "5", "{}"]],
  ["flag", ["true"], ["true"], ["false", "null", '"true"', "1"]],
  ["empty", ["[]"], ["[]"], ["{}", "null", "false", "true", "[1]", '""']],
  ["whole-object", ['{"a":1}'], ['{"a":-1}'], ['{"a":"x"}', "null", "{}", "[]", '{"a":1,"b":1}', '{"b":1}', '"x"']],
])("the use %s says which values are of one shape", (name, [first = ""], same, other) => {
  const reader = new ShapedRow(everyUse, 1);
  const shapeOf = (value: string): number => {
    const bytes = Buffer.from(`{"${name}":${value},"z":1}`);
    return reader.read(viewOf(bytes), 0, bytes.length);
  };
  const shape = shapeOf(first);
  expect(shape).toBeGreaterThan(0);
  expect(same.map(shapeOf)).toEqual(same.map(() => shape));
  expect(other.map(shapeOf)).not.toContain(shape);
});

test.each([
  ["wanted", "5"],
  ["needed", '""'],
  ["text", "5"],
  ["flag", '"true"'],
  ["empty", "true"],
  ["empty", "[1]"],
  ["whole-object", "[]"],
  ["whole-object", "{}"],
  ["whole-object", '{"b":1}'],
  ["unusual", "null"],
])("a row that breaks the rule of %s has no shape: %s", (name, value) => {
  const bytes = Buffer.from(`{"${name}":${value}}`);
  expect(new ShapedRow(everyUse, 1).read(viewOf(bytes), 0, bytes.length)).toBe(0);
});

test("a row that has a key twice has no shape", () => {
  for (const text of ['{"a":"x","a":null}', '{"b":1,"b":1}']) {
    expect(shown(anyRow(), text)).toBe("no shape");
  }
});

describe("limits of what is learned", () => {
  const read = (reader: ShapedRow, text: string): boolean => {
    const bytes = Buffer.from(text);
    return reader.read(viewOf(bytes), 0, bytes.length) !== 0;
  };
  const exactRow = (): ShapedRow =>
    new ShapedRow({ ...leaf({ use: "any-text" }), others: leaf({ use: "any-text" }) }, 1);
  const ordinary = '{"a":"one"}';

  test("a row with too many values is not learned, and those after it are", () => {
    const reader = anyRow();
    const many = `{${Array.from({ length: 300 }, (_, key) => `"k${key}":1`).join()}}`;
    const long = `{"m":[${"null,".repeat(3_000)}1]}`;
    expect([many, long, ordinary, many, long].map((row) => read(reader, row))).toEqual([
      false,
      false,
      true,
      false,
      false,
    ]);
  });

  test("only so many different beginnings are learned", () => {
    const reader = exactRow();
    const rows = Array.from({ length: 40 }, (_, n) => `{"k${n}":"v"}`);
    for (const row of rows) read(reader, row);
    expect(rows.filter((row) => read(reader, row))).toHaveLength(16);
  });

  test("when rows are not alike it gives up, and not before", () => {
    const reader = anyRow();
    const odd = '{"five5":"no"}';
    for (let n = 0; n < 3_000; n += 1) {
      expect(read(reader, ordinary)).toBe(true);
      expect(read(reader, odd)).toBe(false);
    }
    for (let n = 0; n < 1_000; n += 1) read(reader, odd);
    expect(read(reader, ordinary)).toBe(false);
  });
});
