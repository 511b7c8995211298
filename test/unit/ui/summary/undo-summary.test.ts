import { expect, test } from "vitest";
import { undoPlanLines } from "../../../../src/ui/summary/undo-summary.ts";

const numbers = { listed: 2, removed: 0, alreadyGone: 0, kept: 0, failed: 0, unknown: 0, toRemove: 2 };
const linesFor = (others: Readonly<Record<string, number>>): string =>
  undoPlanLines(numbers, { others, withoutId: 0 }, "host").join("\n");

test("metadata of users is deleted with them, and other objects of the job stay", () => {
  expect(linesFor({ user_metadata: 486 })).not.toContain("stays:");
  expect(linesFor({ user_metadata: 486, project: 1 })).toContain("stays:    other objects of the job: 1 project");
});
