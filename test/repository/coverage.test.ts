import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import config from "../vitest.config.ts";

/** Runs in the started program alone, or has no lines. */
const WITHOUT = ["context.ts", "main.ts", "version.ts"];

test("every room of src has a floor of coverage", () => {
  const { thresholds } = (config as { test: { coverage: { thresholds: Record<string, { lines: number }> } } }).test
    .coverage;
  const rooms = readdirSync("src", { withFileTypes: true })
    .filter((entry) => entry.isDirectory() || (entry.name.endsWith(".ts") && !WITHOUT.includes(entry.name)))
    .map((entry) => (entry.isDirectory() ? `src/${entry.name}/**` : `src/${entry.name}`));
  expect(Object.keys(thresholds).sort()).toEqual(rooms.sort());
  for (const { lines } of Object.values(thresholds)) expect(lines).toBeGreaterThan(80);
});
