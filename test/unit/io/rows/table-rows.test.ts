import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { TableForm } from "../../../../src/core/rows/row-file.ts";
import type { Input } from "../../../../src/io/input/input.ts";
import { tableRowsOf } from "../../../../src/io/rows/table-rows.ts";
import { ProblemError } from "../../../../src/problem.ts";

interface Row {
  readonly values: unknown;
  readonly text: string;
  readonly line: number;
}

/** Reads a whole table, at most `chunkBytes` per read. */
async function read(table: string | Buffer, chunkBytes = 1_000_000, form: TableForm = {}) {
  const source = tableRowsOf(memoryInput(Buffer.from(table as string), chunkBytes), form);
  const rows: Row[] = [];
  for await (const { bytes, count, starts, ends, lines, parsed } of source.blocks()) {
    for (let at = 0; at < count; at += 1) {
      const row = parsed?.[at];
      const values = row !== undefined && "value" in row ? row.value : row?.fault;
      rows.push({ values, text: bytes.toString("utf8", starts[at], ends[at]), line: lines[at] as number });
    }
  }
  return { rows, columns: source.columns?.(), frame: source.frame() };
}

function memoryInput(content: Buffer, chunkBytes: number): Input {
  let position = 0;
  return {
    file: "t.csv",
    sizeBytes: content.length,
    isCompressed: false,
    takenBytes: () => position,
    async read(into) {
      const length = content.copy(into, 0, position, Math.min(content.length, position + chunkBytes));
      position += length;
      return length;
    },
    again: async () => memoryInput(content, chunkBytes),
    async close() {},
  };
}

test("each row has its values, its bytes in the table and its line", async () => {
  const { rows, columns, frame } = await read('id,name\r\n1,"Ann ""A"" B"\r\n\r\n2,"two\r\nlines"\r\n3,\r\n4,x');
  expect(columns).toEqual(["id", "name"]);
  expect(rows).toEqual([
    { values: ["1", 'Ann "A" B'], text: '1,"Ann ""A"" B"', line: 2 },
    { values: ["2", "two\r\nlines"], text: '2,"two\r\nlines"', line: 4 },
    { values: ["3", ""], text: "3,", line: 6 },
    { values: ["4", "x"], text: "4,x", line: 7 },
  ]);
  expect(frame).toEqual({ extension: "csv", head: "id,name\r\n", separator: "\r\n", end: "\r\n" });
});

test.each([
  ["\n", 1],
  ["\n", 1_000],
  ["\r\n", 1],
  ["\r\n", 1_000],
])("the frame has the line ends of the table: %j, in chunks of %d bytes", async (end, chunkBytes) => {
  const named = await read(["id", "1", "2"].join(end), chunkBytes);
  expect(named.frame).toEqual({ extension: "csv", head: `id${end}`, separator: end, end });
  const nameless = await read(["1", "2"].join(end), chunkBytes, { columns: ["id"] });
  expect(nameless.frame).toEqual({ extension: "csv", head: "", separator: end, end });
});

test.each([1, 5, 1_000])("rows of delimiters alone are no rows, in chunks of %d bytes", async (chunkBytes) => {
  const { rows, columns } = await read(';;\nid;b\r\n;\r\n1;x\r\n"";""\n;;;;\n\n;y\n;', chunkBytes);
  expect(columns).toEqual(["id", "b"]);
  expect(rows).toEqual([
    { values: ["1", "x"], text: "1;x", line: 4 },
    { values: ["", "y"], text: ";y", line: 8 },
  ]);
});

const cell = fc.oneof(
  fc.constantFrom("", "a", "Ünïcödé ✓", "1,5", 'say "hi"', "two\nlines", "two\r\nlines", " blanks ", "NULL"),
  fc.string({ unit: "binary", maxLength: 8 }).map((text) => text.replace(/\r/g, "")),
);
const written = (value: string): string => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);

test("any values, read in chunks of any size, give the same rows, bytes and lines", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.uuid(), cell, cell), { maxLength: 12 }),
      fc.constantFrom("\n", "\r\n"),
      fc.boolean(),
      fc.integer({ min: 1, max: 60 }),
      async (records, lineBreak, endsOpen, chunkBytes) => {
        const lines = [["id", "b", "c"], ...records].map((record) => record.map(written).join(","));
        const table = lines.join(lineBreak) + (endsOpen ? "" : lineBreak);
        const { rows } = await read(table, chunkBytes);
        expect(rows.map(({ values }) => values)).toEqual(records);
        expect(rows.map(({ text }) => text)).toEqual(lines.slice(1));
        let line = 2;
        for (const row of rows) {
          expect(row.line).toBe(line);
          line += row.text.split("\n").length;
        }
      },
    ),
    { numRuns: 40 * Number(process.env["PROPERTY_RUNS"] ?? 1) },
  );
});

test.each([1, 2, 100])("a return alone is a character of a value, in chunks of %d bytes", async (chunkBytes) => {
  const { rows } = await read("\r\r\n\r\n\r\nb\r\n", chunkBytes, { columns: ["id"] });
  expect(rows.map(({ values, line }) => [values, line])).toEqual([
    [["\r"], 1],
    [["b"], 4],
  ]);
});

test("a table read in chunks of any size has the records that csv-parse finds in the whole table", async () => {
  const piece = fc.constantFrom(
    "a",
    "é",
    " ",
    ",",
    ",",
    '"',
    '"',
    '""',
    '"a"',
    '","',
    "\n",
    "\n",
    "\r\n",
    "\r",
    ",\n",
    '"\n',
  );
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(piece, { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 1, max: 40 }),
      fc.boolean(),
      async (pieces, chunkBytes, hasLooseQuotes) => {
        const table = pieces.join("");
        const form = { columns: Array.from({ length: 40 }, (_, at) => `c${at}`), hasLooseQuotes };
        const found = await read(table, chunkBytes, form).catch((error: unknown) => error);
        const options = { ...CSV_PARSE, relax_quotes: hasLooseQuotes };
        let records: readonly string[][];
        try {
          records = parse(table, options).filter((record) => record.some((value) => value !== ""));
        } catch {
          expect(found).toBeInstanceOf(ProblemError);
          return;
        }
        const expected = records[0]?.length ?? 0;
        const values = records.map((record) =>
          record.length === expected ? record : { code: "row.columns", expected, found: record.length },
        );
        expect(found).toHaveProperty("rows");
        if (!(found instanceof Object && "rows" in found)) return;
        expect((found as Awaited<ReturnType<typeof read>>).rows.map((row) => row.values)).toEqual(values);
        taken += records.length;
      },
    ),
    { numRuns: 1_000 * Number(process.env["PROPERTY_RUNS"] ?? 1) },
  );
  expect(taken).toBeGreaterThan(500);
});

/** The options with which tables are read. */
const CSV_PARSE = {
  record_delimiter: ["\n", "\r\n"],
  skip_empty_lines: true,
  relax_column_count: true,
};

describe("a table without a header row", () => {
  const columns = ["id", "mail", "rest"];

  test("takes as many of the given names as it has columns", async () => {
    const two = await read("1,a@b\n2,c@d\n", undefined, { columns });
    expect(two).toMatchObject({ columns: ["id", "mail"], frame: { head: "" } });
    expect(two.rows.map(({ values, line }) => [values, line])).toEqual([
      [["1", "a@b"], 1],
      [["2", "c@d"], 2],
    ]);
    expect((await read("1,a@b,x,y\n", undefined, { columns })).columns).toEqual(columns);
  });

  test("reports a row with another number of values than the first", async () => {
    const { rows } = await read("1,a@b\n2,c,d\n", undefined, { columns });
    expect(rows[1]?.values).toEqual({ code: "row.columns", expected: 2, found: 3 });
  });

  test("keeps loose quotes if the form allows them", async () => {
    const { rows } = await read('1,Ann "A" B\n', undefined, { columns, hasLooseQuotes: true });
    expect(rows[0]?.values).toEqual(["1", 'Ann "A" B']);
    await expect(read('1,Ann "A" B\n', undefined, { columns })).rejects.toThrow("input.broken-table");
  });
});

test.each([
  ["a quote that is never closed", 'id\n1\n"2\n3\n', { code: "input.unclosed", line: 3 }],
  ["a row that is too long", `id\n1\n${"x".repeat(2 ** 20 + 10)}\n`, { code: "input.row-too-long", line: 3 }],
  ["a quote inside a value", 'id,n\n1,a\n2,b"c\n', { code: "input.broken-table", line: 3 }],
  ["a missing quote", 'id,n\n1,"a\n2,"b"\n', { code: "input.broken-table", line: 2, foundAt: 3 }],
  ["a text that is not UTF-8", Buffer.from("id\nM\xfcller\n", "latin1"), { code: "input.not-utf8", line: 2 }],
])("%s ends the run with a problem and, if known, its line", async (_, table, problem) => {
  const error = await read(table, 1000).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ProblemError);
  expect((error as ProblemError).problem).toMatchObject(problem);
});

describe("the size of a record", () => {
  async function problemOf(table: string) {
    const error = await read(table).catch((raised: unknown) => raised);
    return error instanceof ProblemError ? error.problem : error;
  }

  test("a row of delimiters alone ends with a problem, not with the memory of the process", async () => {
    const table = `id,email\n1,a@example.com\n\n${",".repeat(5 * 2 ** 20)}\n`;
    expect(await problemOf(table)).toMatchObject({ code: "input.row-too-long", file: "t.csv", line: 4 });
  });

  test("a header row of too many columns is refused", async () => {
    expect(await problemOf(`a${",".repeat(10_000)}\n1\n`)).toEqual({
      code: "input.too-many-columns",
      file: "t.csv",
      line: 1,
      limit: 10_000,
    });
    expect((await read(`a${",".repeat(9_999)}\n`)).columns).toHaveLength(10_000);
  });

  test("empty lines count for no row, however many they are", async () => {
    const table = `id,email\n${"\r\n".repeat(3 * 2 ** 20)}1,a@example.com\n`;
    expect((await read(table)).rows).toEqual([
      { values: ["1", "a@example.com"], text: "1,a@example.com", line: 3 * 2 ** 20 + 2 },
    ]);
  });
});
