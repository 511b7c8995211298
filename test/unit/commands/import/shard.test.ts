import fc from "fast-check";
import { expect, test } from "vitest";
import { filesOfShard, parseShard, resolveShard } from "../../../../src/commands/import/shard.ts";

test("a share is given as one of so many, from 1", () => {
  expect(parseShard("2/8")).toEqual({ index: 2, of: 8 });
  expect(parseShard("auto")).toBe("auto");
  for (const text of ["0/8", "9/8", "2", "2/", "/8", "-1/8", "2/8/9", "1.5/2", ""]) {
    expect(() => parseShard(text)).toThrow("such as 2/8");
  }
});

test("auto is what an Indexed Job says of its pod, which counts from 0", () => {
  expect(resolveShard("auto", { JOB_COMPLETION_INDEX: "0", JOB_COMPLETIONS: "3" })).toEqual({ index: 1, of: 3 });
  expect(resolveShard("auto", { JOB_COMPLETION_INDEX: "2", JOB_COMPLETIONS: "3" })).toEqual({ index: 3, of: 3 });
  expect(resolveShard({ index: 1, of: 2 }, {})).toEqual({ index: 1, of: 2 });
});

test.each([
  [{ JOB_COMPLETIONS: "3" }, "JOB_COMPLETION_INDEX"],
  [{ JOB_COMPLETION_INDEX: "1" }, "JOB_COMPLETIONS"],
  [{ JOB_COMPLETION_INDEX: "3", JOB_COMPLETIONS: "3" }, "JOB_COMPLETION_INDEX"],
  [{ JOB_COMPLETION_INDEX: "one", JOB_COMPLETIONS: "3" }, "JOB_COMPLETION_INDEX"],
])("auto without what it needs is a usage error: %j", (env, variable) => {
  expect(() => resolveShard("auto", env)).toThrow(
    expect.objectContaining({ problem: { code: "usage.no-shard", variable } }),
  );
});

test("every file is in exactly one shard, in any order of the files", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string(), { maxLength: 40 }), fc.integer({ min: 1, max: 9 }), (files, of) => {
      const indexes = Array.from({ length: of }, (_, at) => at + 1);
      const shares = indexes.map((index) => filesOfShard(files, { index, of }));
      expect(shares.flat().sort()).toEqual([...files].sort());
      expect(indexes.map((index) => filesOfShard([...files].reverse(), { index, of }))).toEqual(shares);
      const sizes = shares.map(({ length }) => length);
      expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
    }),
  );
});
