import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DocumentFramer } from "../../../../src/core/rows/document-framer.ts";
import { type DocumentShape, Documents } from "../../../../src/core/rows/documents.ts";
import { MAX_ROW_BYTES } from "../../../../src/core/rows/framer.ts";
import type { RowBlock } from "../../../../src/core/rows/row-block.ts";
import { ProblemError, type RunProblem } from "../../../../src/problem.ts";

const shape: DocumentShape = {
  kind: "document",
  list: ["users"],
  name: { key: "realm", flag: "--realm" },
  strangers: [
    { has: "username", is: { what: "a list", instead: "Export." } },
    { has: "realm", is: { what: "a realm alone", instead: "Export its users." } },
  ],
};

interface Framed {
  readonly rows: readonly unknown[];
  readonly problem: RunProblem | undefined;
}

/** Frames files, in chunks of some bytes each. */
function frame(files: readonly string[], wanted?: string, chunkBytes = 1_000): Framed {
  const documents = new Documents(shape, wanted);
  const rows: unknown[] = [];
  const take = ({ bytes, count, starts, ends }: RowBlock): void => {
    for (let at = 0; at < count; at += 1) rows.push(JSON.parse(bytes.toString("utf8", starts[at], ends[at])));
  };
  for (const file of files) {
    const framer = new DocumentFramer("file", documents, chunkBytes);
    const content = Buffer.from(file);
    for (let from = 0; from < content.length; from += chunkBytes)
      take(framer.filled(content.copy(framer.free(), 0, from)));
    take(framer.end());
    framer.check();
  }
  return { rows, problem: documents.problem("file") };
}

const realm = (name: string, ...users: readonly number[]): string => JSON.stringify({ realm: name, users });

describe("of several documents", () => {
  const both = `[${realm("one", 1, 2)},${realm("two", 3)},${realm("three")}]`;

  test("the rows of the one that was chosen are taken", () => {
    expect(frame([both], "two")).toEqual({ rows: [3], problem: undefined });
    expect(frame([realm("one", 1), realm("two", 2), realm("one", 3)], "one")).toEqual({
      rows: [1, 3],
      problem: undefined,
    });
  });

  test("none is guessed, and those that have rows are named", () => {
    expect(frame([both]).problem).toEqual({
      code: "input.several-documents",
      file: "file",
      key: "realm",
      flag: "--realm",
      documents: [
        { name: "one", rows: 2 },
        { name: "two", rows: 1 },
      ],
    });
  });

  test("one alone that has rows is taken without being chosen, in as many files as it comes", () => {
    expect(frame([`[${realm("empty")},${realm("one", 1)}]`])).toEqual({ rows: [1], problem: undefined });
    expect(frame([realm("one", 1), realm("one", 2)])).toEqual({ rows: [1, 2], problem: undefined });
  });

  test("one that is not there is refused, and so is one without rows beside others", () => {
    for (const wanted of ["four", "three"]) {
      const { rows, problem } = frame([both], wanted);
      expect(rows).toEqual([]);
      expect(problem).toMatchObject({ code: "input.no-such-document", wanted, documents: { length: 2 } });
    }
  });

  test("a document without a name goes with any choice: rejected rows come in one", () => {
    expect(frame(['{"users":[1]}'], "one")).toEqual({ rows: [1], problem: undefined });
  });
});

describe("when the name stands behind the list", () => {
  const late = '{"users":[1,2],"realm":"one"}';

  test("its rows are taken", () => {
    expect(frame([late])).toEqual({ rows: [1, 2], problem: undefined });
    expect(frame([late], "one")).toEqual({ rows: [1, 2], problem: undefined });
  });

  test("and refused when it turns out to be another one", () => {
    expect(frame([late], "two").problem).toEqual({ code: "input.name-too-late", file: "file", key: "realm" });
    expect(frame([`[${late},{"users":[3],"realm":"two"}]`]).problem).toMatchObject({ code: "input.several-documents" });
  });
});

describe("what has no rows", () => {
  test.each([
    ["a realm alone", '{"realm":"one","clients":[]}'],
    ["a realm alone", '[{"realm":"one"},{"realm":"two"}]'],
    ["a list", '[{"id":"1","username":"ada"},{"id":"2","username":"bob"}]'],
    ["a list", '{"username":"ada"}'],
    ["a realm alone", '{"realm":"one","users":null}'],
  ])("is recognized by its keys: %s", (what, file) => {
    expect(frame([file])).toMatchObject({ rows: [], problem: { code: "input.unfit", what } });
  });

  test("is left to the counter of rows if the list is empty", () => {
    expect(frame(['{"realm":"one","users":[]}'])).toEqual({ rows: [], problem: undefined });
  });

  test("lacks the list if no key identifies it", () => {
    const problem = { code: "input.unfit", what: 'JSON without the list "users"' };
    expect(frame(['{"other":[1]}'])).toMatchObject({ rows: [], problem });
  });

  test("does not hide the rows of other files", () => {
    expect(frame(['{"realm":"one"}', realm("one", 1)])).toEqual({ rows: [1], problem: undefined });
  });
});

test("gives what JSON.parse gives, with any members around the list and any chunks", () => {
  const other = fc.dictionary(fc.constantFrom("users", "realm", "a", "b"), fc.jsonValue({ maxDepth: 2 }), {
    maxKeys: 3,
  });
  const document = fc
    .record({
      name: fc.constantFrom("one", "two", "ünï\u2028"),
      users: fc.option(fc.array(fc.oneof(other, fc.jsonValue({ maxDepth: 1 })), { maxLength: 4 }), { freq: 5 }),
      inner: other,
      isLate: fc.boolean(),
    })
    .map(({ name, users, inner, isLate }) => {
      const list = users === null ? {} : { users };
      return isLate ? { inner, ...list, realm: name } : { realm: name, inner, ...list };
    });
  const files = fc.array(fc.oneof(document, fc.array(document, { maxLength: 3 })), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(files, fc.integer({ min: 1, max: 40 }), fc.boolean(), (all, chunkBytes, pretty) => {
      const { rows, problem } = frame(
        all.map((file) => JSON.stringify(file, undefined, pretty ? 1 : 0)),
        undefined,
        chunkBytes,
      );
      const lists = all
        .flat()
        .map(({ realm: name, ...rest }) => ({ name, users: (rest as { users?: unknown[] }).users }));
      const named = new Set(lists.filter(({ users = [] }) => users.length > 0).map(({ name }) => name));
      if (named.size > 1) expect(problem).toMatchObject({ code: "input.several-documents" });
      // JSON has no negative zero.
      else expect(rows).toEqual(JSON.parse(JSON.stringify(lists.flatMap(({ users = [] }) => users))));
    }),
  );
});

test("a row has the same limit as a row of a list without a document around it; what is no row may be longer", () => {
  const long = `"${"x".repeat(MAX_ROW_BYTES)}"`;
  const framed = (): Framed => frame([`{"users":[{"id":"1"},\n{"id":${long}}]}`], undefined, 2 ** 20);
  expect(framed).toThrow(ProblemError);
  try {
    framed();
  } catch (error) {
    expect((error as ProblemError).problem).toEqual({
      code: "input.row-too-long",
      file: "file",
      line: 2,
      limitBytes: MAX_ROW_BYTES,
    });
  }
  expect(frame([`{"clients":${long},"users":[{"id":"1"}]}`], undefined, 2 ** 20).rows).toEqual([{ id: "1" }]);
});
