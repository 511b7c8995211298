import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ImportReport, ReportSchema } from "../../../../src/ui/machine/report-schema.ts";

test("the contract names every key that a report may have at its top", () => {
  const page = readFileSync("src/commands/README.md", "utf8");
  const [, section = ""] = page.split("\n## The report\n");
  const [contract = ""] = section.split("\n## ");
  const keys = new Set(ReportSchema.options.flatMap(({ shape }) => Object.keys(shape)));
  expect(keys.size).toBeGreaterThan(60);
  expect([...keys].filter((key) => !new RegExp(`[\`"{ ]${key}[\`"?},.]`).test(contract))).toEqual([]);
});

test("the contract names every key of the update", () => {
  const [, listed = ""] =
    /"update":\{(create.*?unchanged)\}/.exec(readFileSync("src/commands/README.md", "utf8")) ?? [];
  const keys = Object.keys(ImportReport.shape.update.unwrap().shape);
  expect(keys.length).toBeGreaterThan(10);
  expect(keys.filter((key) => !new RegExp(`\\b${key}\\b`).test(listed))).toEqual([]);
});
