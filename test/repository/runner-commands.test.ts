import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const SRC = join(import.meta.dirname, "../../src");

test("only one file writes commands of a CI runner", () => {
  const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  const writers = files.filter((name) => /[`"']::[a-z-]+/.test(readFileSync(join(SRC, name), "utf8")));
  expect(writers).toEqual([join("ui", "machine", "github.ts")]);
});
