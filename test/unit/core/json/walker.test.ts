import fc from "fast-check";
import { expect, test } from "vitest";
import { type BrokenJson, createWalker, type Layout } from "../../../../src/core/json/walker.ts";

const orgs: Layout = { elements: { members: () => ({ elements: undefined }) } };
const layout: Layout = { members: (key) => (key === "orgs" ? orgs : undefined) };

interface Piece {
  readonly path: readonly (string | number)[];
  readonly value: unknown;
  readonly line: number;
}

function cut(chunks: readonly Buffer[], maxValueBytes?: number): Piece[] {
  const pieces: Piece[] = [];
  const whole = Buffer.concat(chunks);
  const walker = createWalker(
    layout,
    {
      value: (path, bytes, line, offset) => {
        expect(bytes.equals(whole.subarray(offset, offset + bytes.length))).toBe(true);
        pieces.push({ path: [...path], value: JSON.parse(bytes.toString()), line });
      },
    },
    maxValueBytes,
  );
  for (const chunk of chunks) walker.push(chunk);
  walker.end();
  return pieces;
}

function chunked(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const edges = [0, ...cuts.map((at) => at % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return edges.slice(1).map((edge, index) => bytes.subarray(edges[index], edge));
}

/** What the walker must say about a document, by JSON.parse. */
function expected(document: unknown): Pick<Piece, "path" | "value">[] {
  if (typeof document !== "object" || document === null || Array.isArray(document))
    return [{ path: [], value: document }];
  return Object.entries(document).flatMap(([key, value]) =>
    key === "orgs" && Array.isArray(value)
      ? value.flatMap((org, index) => orgPieces(org, [key, index]))
      : [{ path: [key], value }],
  );
}

function orgPieces(org: unknown, path: (string | number)[]): Pick<Piece, "path" | "value">[] {
  if (typeof org !== "object" || org === null || Array.isArray(org)) return [{ path, value: org }];
  return Object.entries(org).flatMap(([key, value]) =>
    Array.isArray(value)
      ? value.map((element, index) => ({ path: [...path, key, index], value: element }))
      : [{ path: [...path, key], value }],
  );
}

const anyOrg = fc.dictionary(fc.string(), fc.oneof(fc.array(fc.jsonValue()), fc.jsonValue()));
const anyDocument = fc.oneof(
  fc.jsonValue(),
  fc.record({ before: fc.jsonValue(), orgs: fc.oneof(fc.array(anyOrg), fc.jsonValue()), after: fc.jsonValue() }),
);

test("any chunking of any document gives the values that JSON.parse gives", () => {
  fc.assert(
    fc.property(anyDocument, fc.array(fc.nat(), { maxLength: 12 }), fc.boolean(), (document, cuts, pretty) => {
      // A property named __proto__ is one to JSON.parse and none to an object literal: compare what JSON.parse sees.
      const text = JSON.stringify(document, null, pretty ? 2 : 0);
      const pieces = cut(chunked(Buffer.from(text), cuts));
      expect(pieces.map(({ path, value }) => ({ path, value }))).toEqual(expected(JSON.parse(text)));
    }),
  );
});

test("a text that JSON.parse refuses is refused, wherever it is cut", () => {
  fc.assert(
    fc.property(
      anyDocument,
      fc.nat(),
      fc.constantFrom(...'{}[],:"x'),
      fc.array(fc.nat()),
      (document, at, extra, cuts) => {
        const text = JSON.stringify(document);
        const spot = at % (text.length + 1);
        const broken = text.slice(0, spot) + extra + text.slice(spot);
        fc.pre(!isJson(broken));
        expect(() => cut(chunked(Buffer.from(broken), cuts))).toThrow();
      },
    ),
  );
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test("each value knows the line it begins at", () => {
  const text = '\n{"a":1,\n"orgs":[\n{"orgId":"1",\n"humanUsers":[{\n"userId":"u"},\n{"userId":"v"}]}]}\n';
  expect(cut([Buffer.from(text)]).map(({ path, line }) => [path.join("."), line])).toEqual([
    ["a", 2],
    ["orgs.0.orgId", 4],
    ["orgs.0.humanUsers.0", 5],
    ["orgs.0.humanUsers.1", 7],
  ]);
});

test.each([
  ['{"orgs":[', 1, "unclosed"],
  ['{"orgs":[\n{"humanUsers":[\n{"a":\n', 3, "unclosed"],
  ["", 1, "unclosed"],
  ['{"orgs":[]}\n]', 2, "malformed"],
  ['{"orgs":[1 2]}', 1, "malformed"],
  ["<html>", 1, "malformed"],
])("%j is broken", (text, line, reason) => {
  expect(() => cut([Buffer.from(text)])).toThrow(expect.objectContaining({ line, reason }) as BrokenJson);
});

test("a value beyond the limit is not collected", () => {
  expect(() => cut([Buffer.from('{"x":"'), Buffer.from("y".repeat(50)), Buffer.from('"}')], 40)).toThrow("too-long");
});

test("a byte order mark is skipped", () => {
  const bytes = Buffer.from('\ufeff{"a":1}');
  expect(cut([bytes]).map(({ value }) => value)).toEqual([1]);
  for (let at = 1; at < 6; at += 1) expect(cut(chunked(bytes, [at, 1])).map(({ value }) => value)).toEqual([1]);
  expect(() => cut([Buffer.from([0xef]), Buffer.from('{"a":1}')])).toThrow("malformed");
});

test.each([
  ["objects", '{"a":', "}"],
  ["arrays", "[", "]"],
])(
  "a value is taken up to a thousand levels of %s, and given up beyond, with the line it begins at",
  (_, open, close) => {
    const nested = (levels: number): string => open.repeat(levels) + (open === "[" ? "" : 0) + close.repeat(levels);
    const text = (levels: number): Buffer => Buffer.from(`{"s":"${"[".repeat(2_000)}",\n"x":${nested(levels)}}`);
    expect(cut([text(1_000)])).toHaveLength(2);
    for (const cuts of [[], [2_500]]) {
      expect(() => cut(chunked(text(1_001), cuts))).toThrow(
        expect.objectContaining({ line: 2, reason: "too-deep" }) as BrokenJson,
      );
    }
    expect(() => cut([text(100_000)])).toThrow("too-deep");
  },
);
