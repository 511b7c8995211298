import { expect, test } from "vitest";
import { leftBehindLines } from "../../../../src/ui/summary/left-behind.ts";

test("a name without anything to see stands in quotes", () => {
  const leftBehind = { fields: {}, providers: {}, metadata: { "": 2, " ": 1, essay: 3 } };
  expect(leftBehindLines(leftBehind)).toEqual(['not accepted   essay 3, "" 2, " " 1']);
});

test("a field whose name every object has is carried by no flag", () => {
  expect(leftBehindLines({ fields: { constructor: 1 }, providers: {} }, { locale: "--profile full" })).toEqual([
    "not carried    constructor 1",
  ]);
});
