import { expect, test } from "vitest";
import { textMatcherOf } from "../../../../src/mock/users/text-query.ts";

test.each([
  [undefined, ["Ada"]],
  ["TEXT_QUERY_METHOD_EQUALS", ["Ada"]],
  ["TEXT_FILTER_METHOD_EQUALS_IGNORE_CASE", ["Ada", "ADA"]],
  ["TEXT_QUERY_METHOD_STARTS_WITH", ["Ada", "Adam"]],
  ["TEXT_QUERY_METHOD_STARTS_WITH_IGNORE_CASE", ["Ada", "ADA", "Adam"]],
  ["TEXT_QUERY_METHOD_CONTAINS", ["Ada", "Adam", "An Ada"]],
  ["TEXT_QUERY_METHOD_CONTAINS_IGNORE_CASE", ["Ada", "ADA", "Adam", "An Ada"]],
  ["TEXT_QUERY_METHOD_ENDS_WITH", ["Ada", "An Ada"]],
  ["TEXT_QUERY_METHOD_ENDS_WITH_IGNORE_CASE", ["Ada", "ADA", "An Ada"]],
])("%s", (method, expected) => {
  const fits = textMatcherOf({ ...(method === undefined ? {} : { method }), loginName: "Ada" });
  expect(["Ada", "ADA", "Adam", "An Ada", "Eve"].filter(fits)).toEqual(expected);
});

test("a query without a text looks for the empty one", () => {
  expect(["", "Ada"].filter(textMatcherOf({}))).toEqual([""]);
});
