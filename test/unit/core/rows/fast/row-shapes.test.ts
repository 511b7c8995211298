import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { viewOf } from "../../../../../src/core/json/words.ts";
import { FieldRow } from "../../../../../src/core/rows/fast/field-row.ts";
import { RowShapes } from "../../../../../src/core/rows/fast/row-shapes.ts";

/** Reads any object; its one wanted field is the string `a`, and its flag is `five5`. */
function anyRow(): FieldRow {
  return new FieldRow({ a: { use: "wanted", field: 0 }, five5: { use: "flag", bits: 1 } }, 1);
}

/** The same rows, each read by a reader that has seen none before and so knows no shape. */
function readAlone(row: string): string {
  return shown(anyRow(), row);
}

/** What was read, or that it could not be. The row stands between others, so that a reader that runs on is found out. */
function shown(reader: FieldRow, row: string): string {
  const bytes = Buffer.from(`{"a":"before"}${row}{"a":"behind"}`);
  const start = 14;
  const end = bytes.length - 14;
  if (!reader.read(viewOf(bytes), start, end)) return "not for me";
  return `${bytes.toString("utf8", reader.start(0), reader.end(0))} ${reader.start(0) === 0} ${reader.flags}`;
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

test("a row reads the same after any other rows", () => {
  const many = fc.array(row, { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(many, (rows) => {
      const reader = anyRow();
      for (const one of [...rows, ...rows]) expect(shown(reader, one)).toBe(readAlone(one));
    }),
    { numRuns: 300 * Number(process.env["PROPERTY_RUNS"] ?? 1) },
  );
});

test("what is read as plain is what JSON.parse reads", () => {
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 20 }), (rows) => {
      const reader = anyRow();
      for (const one of [...rows, ...rows]) {
        const read = shown(reader, one);
        if (read === "not for me") continue;
        const { a = null, five5 } = JSON.parse(one) as { a?: string | null; five5?: boolean | null };
        expect(read).toBe(`${a ?? ""} ${a === null} ${five5 === true ? 1 : 0}`);
      }
    }),
  );
});

test("a learned shape is known, also with other values, and nothing else is", () => {
  const shapes = new RowShapes(1);
  const known = Buffer.from('{"a":"one","n":5,"t":true,"l":["x",{"y":null}]}');
  const view = viewOf(known);
  expect(shapes.read(view, 0, known.length)).toBe(false);
  shapes.spans.set([6, 9]);
  shapes.learn(view, 0, known.length, 3);
  const reads = (text: string): string | false => {
    const bytes = Buffer.from(text);
    if (!shapes.read(viewOf(bytes), 0, bytes.length)) return false;
    expect(shapes.flags).toBe(3);
    return bytes.toString("utf8", shapes.spans[0], shapes.spans[1]);
  };
  expect(reads(known.toString())).toBe("one");
  expect(reads('{"a":"","n":-12345,"t":true,"l":["longer than it was",{"y":null}]}')).toBe("");
  for (const other of [
    '{"a":"one","n":5,"t":false,"l":["x",{"y":null}]}',
    '{"a":"one","n":5.5,"t":true,"l":["x",{"y":null}]}',
    '{"a":"one","n":05,"t":true,"l":["x",{"y":null}]}',
    '{"a":"o\\ne","n":5,"t":true,"l":["x",{"y":null}]}',
    '{"a":"one","n":5,"t":true,"l":["x",{"y":null}]} ',
    '{"a":"one","n":5,"t":true,"l":["x",{"y":null}]',
    '{"a":"one","n":"5","t":true,"l":["x",{"y":null}]}',
    '{"a":5,"n":5,"t":true,"l":["x",{"y":null}]}',
    "",
  ]) {
    expect(reads(other)).toBe(false);
  }
});

describe("limits of what is remembered", () => {
  const read = (shapes: RowShapes, text: string): boolean => {
    const bytes = Buffer.from(text);
    return shapes.read(viewOf(bytes), 0, bytes.length);
  };
  const learn = (shapes: RowShapes, text: string): void => {
    const bytes = Buffer.from(text);
    shapes.learn(viewOf(bytes), 0, bytes.length, 0);
  };
  const ordinary = '{"a":"one"}';

  test("a row with too many values is not learned, and those after it are", () => {
    const shapes = new RowShapes(1);
    const many = `{"m":[${"1,".repeat(300)}1]}`;
    const long = `{"m":[${"null,".repeat(3_000)}1]}`;
    for (const row of [many, long, ordinary]) learn(shapes, row);
    expect([many, long, ordinary].map((row) => read(shapes, row))).toEqual([false, false, true]);
  });

  test("only so many different beginnings are learned", () => {
    const shapes = new RowShapes(1);
    const rows = Array.from({ length: 100 }, (_, n) => `{"k${n}":"v"}`);
    for (const row of rows) learn(shapes, row);
    expect(rows.filter((row) => read(shapes, row))).toHaveLength(64);
  });

  test("when rows are not alike it gives up, and not before", () => {
    const shapes = new RowShapes(1);
    learn(shapes, ordinary);
    for (let n = 0; n < 3_000; n += 1) {
      expect(read(shapes, ordinary)).toBe(true);
      expect(read(shapes, '{"b":true}')).toBe(false);
    }
    for (let n = 0; n < 1_000; n += 1) read(shapes, '{"b":true}');
    expect(read(shapes, ordinary)).toBe(false);
    learn(shapes, ordinary);
    expect(read(shapes, ordinary)).toBe(false);
  });
});
