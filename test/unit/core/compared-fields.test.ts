import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { comparedFields } from "../../../src/core/compared-fields.ts";

test("the contract names the fields that are compared", () => {
  const [, list = ""] =
    /By events, these are compared: (.*?)\. By export/.exec(readFileSync("src/commands/README.md", "utf8")) ?? [];
  const named = [...list.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  expect(named.toSorted()).toEqual(comparedFields.toSorted());
});
