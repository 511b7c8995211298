import fc from "fast-check";
import { expect, test } from "vitest";
import { ExtentIndex } from "../../../../src/core/tables/extent-index.ts";
import { PositionSet } from "../../../../src/core/tables/position-set.ts";

test("pieces are found by their key, in the order in which they were added", () => {
  const piece = fc.record({ key: fc.constantFrom("a", "b", "ü", ""), start: fc.nat(2 ** 40), length: fc.nat(1_000) });
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 3_000 }), (pieces) => {
      const index = new ExtentIndex();
      const extents = pieces.map(({ start, length }, item) => ({ item, start, end: start + length }));
      for (const [at, { key }] of pieces.entries()) index.add(key, extents[at] as (typeof extents)[number]);
      for (const key of ["a", "b", "ü", "", "absent"]) {
        expect(index.find(key)).toEqual(extents.filter((_, at) => pieces[at]?.key === key));
      }
    }),
    { numRuns: 30 },
  );
});

test("a set of positions holds what was added", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(5_000)), (positions) => {
      const set = new PositionSet();
      for (const position of positions) set.add(position);
      expect(set.size).toBe(new Set(positions).size);
      for (let position = 0; position < 5_010; position += 7)
        expect(set.has(position)).toBe(positions.includes(position));
      for (const position of positions) expect(set.has(position)).toBe(true);
    }),
  );
});
