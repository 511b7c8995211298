import { expect, test } from "vitest";
import { RangeSet } from "../../../../src/core/tables/range-set.ts";

function setOf(...ranges: readonly (readonly [number, number])[]): RangeSet {
  const set = new RangeSet();
  for (const [from, to] of ranges) set.add(from, to);
  return set;
}

test.each<[string, [number, number][], [number, number][], [number, number][]]>([
  ["nothing", [[1, 9]], [], [[1, 9]]],
  ["all of it", [[1, 9]], [[0, 20]], []],
  [
    "its middle",
    [[1, 9]],
    [
      [3, 4],
      [6, 6],
    ],
    [
      [1, 2],
      [5, 5],
      [7, 9],
    ],
  ],
  [
    "its ends",
    [
      [1, 9],
      [20, 29],
    ],
    [
      [0, 2],
      [8, 21],
      [29, 40],
    ],
    [
      [3, 7],
      [22, 28],
    ],
  ],
])("ranges without %s", (_, all, gone, left) => {
  expect(setOf(...all).without(setOf(...gone))).toEqual(left);
});

test("what is within two numbers, cut at both ends", () => {
  const set = new RangeSet();
  set.add(2, 4);
  set.add(7, 9);
  set.add(12, 12);
  expect(set.within(3, 8)).toEqual([
    [3, 4],
    [7, 8],
  ]);
  expect(set.within(5, 6)).toEqual([]);
  expect(set.within(0, 20)).toEqual(set.ranges());
});
