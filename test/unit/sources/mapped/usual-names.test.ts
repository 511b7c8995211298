import { expect, test } from "vitest";
import { isName } from "../../../../src/sources/mapped/usual-names.ts";

test.each([
  ["names of columns", ["id", "E-Mail", "custom:tenant", "metadata.plan", ""], true],
  ["an address", ["1", "ann@example.com"], false],
  ["a hash", ["id", "$2b$10$abc"], false],
  ["an id", ["5f7c8ec7-0000-4000-8000-000000000001", "x"], false],
  ["a date", ["x", "2024-01-01"], false],
  ["a number", ["7", "x"], false],
  ["a key", ["5f7c8ec7c33c6c004bbafe82", "x"], false],
  ["a long text", ["x".repeat(101)], false],
])("a first row with %s", (_, names, expected) => {
  expect(names.every(isName)).toBe(expected);
});
