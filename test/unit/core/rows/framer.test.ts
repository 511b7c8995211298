import fc from "fast-check";
import { expect, test } from "vitest";
import { Framer } from "../../../../src/core/rows/framer.ts";
import type { RowBlock, Shape } from "../../../../src/core/rows/row-block.ts";
import { ProblemError, type RunProblem } from "../../../../src/problem.ts";
import { runs } from "../../../helpers/runs.ts";

interface Framed {
  readonly rows: readonly [text: string, line: number][];
  readonly shape: Shape | undefined;
  readonly problem?: RunProblem;
}

/** Feeds the bytes in chunks of the given lengths (the last one again and again). */
function frame(content: string | Buffer, chunks: readonly number[] = [1_000_000], strictLines = false): Framed {
  const bytes = Buffer.from(content as string);
  const framer = new Framer("f", strictLines);
  const rows: [string, number][] = [];
  const take = ({ bytes: buffer, count, starts, ends, lines }: RowBlock): void => {
    for (let row = 0; row < count; row += 1) {
      rows.push([buffer.toString("utf8", starts[row], ends[row]), lines[row] as number]);
    }
  };
  try {
    for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
      const length = bytes.copy(framer.free(), 0, at, at + (chunks[Math.min(turn, chunks.length - 1)] as number));
      take(framer.filled(length));
      at += length;
    }
    take(framer.end());
    framer.check();
  } catch (error) {
    if (error instanceof ProblemError) return { rows, shape: framer.shape, problem: error.problem };
    throw error;
  }
  return { rows, shape: framer.shape };
}

test.each<[string, string, Framed]>([
  [
    "NDJSON",
    '{"a":1}\n{"b":2}\n',
    {
      shape: "lines",
      rows: [
        ['{"a":1}', 1],
        ['{"b":2}', 2],
      ],
    },
  ],
  [
    "no final newline",
    '{"a":1}\n{"b":2}',
    {
      shape: "lines",
      rows: [
        ['{"a":1}', 1],
        ['{"b":2}', 2],
      ],
    },
  ],
  [
    "CRLF and blank lines",
    '\r\n{"a":1}\r\n\r\n  {"b":2} \r\n',
    {
      shape: "lines",
      rows: [
        ['{"a":1}', 2],
        ['{"b":2}', 4],
      ],
    },
  ],
  ["one object", '{"a":1}', { shape: "lines", rows: [['{"a":1}', 1]] }],
  [
    "an array on one line",
    '[{"a":1},{"b":2}]',
    {
      shape: "array",
      rows: [
        ['{"a":1}', 1],
        ['{"b":2}', 1],
      ],
    },
  ],
  [
    "a pretty array",
    '[\n  {\n    "a": "]},{"\n  },\n  {}\n]\n',
    {
      shape: "array",
      rows: [
        ['{\n    "a": "]},{"\n  }', 2],
        ["{}", 5],
      ],
    },
  ],
  ["an empty array", " [ ] ", { shape: "array", rows: [] }],
  [
    "scalars in an array",
    '[1, "a\\"]", null ,{}]',
    {
      shape: "array",
      rows: [
        ["1", 1],
        ['"a\\"]"', 1],
        ["null", 1],
        ["{}", 1],
      ],
    },
  ],
  [
    "concatenated objects",
    '{"a":1}{"b":2} {"c":3}',
    {
      shape: "values",
      rows: [
        ['{"a":1}', 1],
        ['{"b":2}', 1],
        ['{"c":3}', 1],
      ],
    },
  ],
  [
    "pretty-printed objects",
    '{\n "a": 1\n}\n{\n "b": 2\n}\n',
    {
      shape: "values",
      rows: [
        ['{\n "a": 1\n}', 1],
        ['{\n "b": 2\n}', 4],
      ],
    },
  ],
  [
    "a broken first line",
    '{"a":\n{"b":2}\n',
    {
      shape: "lines",
      rows: [
        ['{"a":', 1],
        ['{"b":2}', 2],
      ],
    },
  ],
  [
    "rubbish behind the first object",
    '{"a":1} x\n{"b":2}\n',
    {
      shape: "lines",
      rows: [
        ['{"a":1} x', 1],
        ['{"b":2}', 2],
      ],
    },
  ],
  [
    "no JSON at all",
    "hello\nworld\n",
    {
      shape: "lines",
      rows: [
        ["hello", 1],
        ["world", 2],
      ],
    },
  ],
  ["nothing", "", { shape: "lines", rows: [] }],
  ["blank lines only", "\n \n", { shape: "lines", rows: [] }],
  [
    "U+2028 and a lone CR inside a row",
    '{"a":"\u2028"}\n{"b":\r2}\n',
    {
      shape: "lines",
      rows: [
        ['{"a":"\u2028"}', 1],
        ['{"b":\r2}', 2],
      ],
    },
  ],
])("takes %s apart", (_, content, expected) => {
  expect(frame(content)).toEqual(expected);
  expect(frame(content, [1])).toEqual(expected);
});

test.each<[string, string, Partial<Framed>]>([
  [
    "an array that is not closed",
    '[\n{"a":1},\n{"b":2}\n',
    { problem: { code: "input.unclosed", file: "f", line: 1 } },
  ],
  ["an element that is not closed", '[\n{"a":1},\n{"b":', { problem: { code: "input.unclosed", file: "f", line: 3 } }],
  ["a missing comma", '[{"a":1}\n{"b":2}]', { problem: { code: "input.malformed", file: "f", line: 2 } }],
  ["a trailing comma", '[{"a":1},\n]', { problem: { code: "input.malformed", file: "f", line: 2 } }],
  ["something behind the array", "[{}]\n\n{}", { problem: { code: "input.malformed", file: "f", line: 3 } }],
  [
    "a pretty object that is not closed",
    '{\n "a": 1\n}\n{\n "b": 2\n',
    { problem: { code: "input.unclosed", file: "f", line: 4 } },
  ],
])("says where %s begins", (_, content, expected) => {
  expect(frame(content)).toMatchObject(expected);
  expect(frame(content, [1])).toMatchObject(expected);
});

test("with --multiline a line is a row", () => {
  expect(frame('{"a":1}\n{"b":2}{"c":3}\n{"d":\n{"e":5}\n', [3], true).rows).toEqual([
    ['{"a":1}', 1],
    ['{"b":2}{"c":3}', 2],
    ['{"d":', 3],
    ['{"e":5}', 4],
  ]);
});

test.each([
  ["an array", '[{"a":1},\n{"b":2}]\n', "array"],
  ["an array on one line", ' [{"a":1},{"b":2}]', "array"],
  ["objects that span lines", '\n{\n  "a": 1\n}\n{\n  "b": 2\n}\n', "values"],
])("with --multiline %s is refused, and not row by row", (_, content, shape) => {
  for (const sizes of [[1], [4096]]) {
    const { problem, rows } = frame(content, sizes, true);
    expect(problem).toEqual({ code: "input.not-lines", file: "f", shape });
    expect(rows.length).toBeLessThan(3);
  }
});

test("refuses a row that no user can have, instead of taking the file into memory", () => {
  const { problem, rows } = frame(`{"a":1}\n{"b":"${"x".repeat(17 * 2 ** 20)}"}\n`, [65_536]);
  expect(rows).toHaveLength(1);
  expect(problem).toMatchObject({ code: "input.row-too-long", line: 2 });
});

test("takes an array on one line far longer than the longest row", () => {
  const element = JSON.stringify({ user_id: "auth0|1", filler: "y".repeat(1_000) });
  const { rows } = frame(`[${Array.from({ length: 20_000 }, () => element).join(",")}]`, [65_536]);
  expect(rows).toHaveLength(20_000);
  expect(rows.at(-1)).toEqual([element, 1]);
});

const value = fc.dictionary(
  fc.string(),
  fc.oneof(fc.string({ unit: "grapheme" }), fc.integer(), fc.array(fc.string())),
  {
    minKeys: 1, // no user is an empty object
    maxKeys: 3,
  },
);
const layout = fc.constantFrom<[string, (rows: object[]) => string]>(
  ["NDJSON", (rows) => rows.map((row) => JSON.stringify(row)).join("\n")],
  ["array", (rows) => JSON.stringify(rows)],
  ["pretty array", (rows) => JSON.stringify(rows, null, 2)],
  ["pretty objects", (rows) => rows.map((row) => JSON.stringify(row, null, 1)).join("\n")],
  ["concatenated", (rows) => rows.map((row) => JSON.stringify(row)).join("")],
);

test("gives the same rows wherever the chunks end, in every shape", () => {
  fc.assert(
    fc.property(
      fc.array(value, { minLength: 1, maxLength: 6 }),
      layout,
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 }),
      (values, [, write], chunks) => {
        const content = write(values);
        const framed = frame(content, chunks);
        expect(framed.rows.map(([text]) => JSON.parse(text))).toEqual(JSON.parse(JSON.stringify(values)));
        for (const [text, line] of framed.rows) {
          expect(
            content
              .split("\n")
              .slice(line - 1)
              .join("\n"),
          ).toContain(text);
        }
      },
    ),
    { numRuns: runs(500) },
  );
});
