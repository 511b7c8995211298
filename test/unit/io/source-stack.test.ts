import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { toSourceStack } from "../../../src/io/source-stack.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

/** Line 1, column 1 of the built file is line 3, column 5 of src/a.ts. */
const MAP = { version: 3, file: "a.cjs", names: [], sources: ["../src/a.ts"], mappings: "AAEI" };

test("frames of a built file with a map name the source; others are unchanged", () => {
  const folder = join(tempDir());
  const built = join(folder, "a.cjs");
  writeFileSync(`${built}.map`, JSON.stringify(MAP));
  const stack = [
    "TypeError: x (at y:1:2)",
    `    at run (${built}:1:1)`,
    `    at async ${built}:1:7`,
    `    at new Thing (${pathToFileURL(built).href}:1:1)`,
    `    at other (${join(folder, "b.cjs")}:1:1)`,
    "    at node:internal/main:1:2",
    "    at <anonymous>",
  ].join("\n");
  expect(toSourceStack(stack).split("\n")).toEqual([
    "TypeError: x (at y:1:2)",
    "    at run (src/a.ts:3:5)",
    "    at async src/a.ts:3:5",
    "    at new Thing (src/a.ts:3:5)",
    `    at other (${join(folder, "b.cjs")}:1:1)`,
    "    at node:internal/main:1:2",
    "    at <anonymous>",
  ]);
});

test.each(["", "{", "{}", '{"version":3}'])("a map that is none (%j) leaves the stack as it is", (content) => {
  const built = join(tempDir(), "a.cjs");
  writeFileSync(`${built}.map`, content);
  const stack = `Error: x\n    at run (${built}:1:1)`;
  expect(toSourceStack(stack)).toBe(stack);
});
