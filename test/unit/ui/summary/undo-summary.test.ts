import { expect, test } from "vitest";
import { undoPlanLines, undoSummaryLines } from "../../../../src/ui/summary/undo-summary.ts";

const numbers = { listed: 2, removed: 0, alreadyGone: 0, kept: 0, failed: 0, unknown: 0, toRemove: 2 };
const linesFor = (others: Readonly<Record<string, number>>): string =>
  undoPlanLines(numbers, { others, withoutId: 0 }, "host").join("\n");

test("metadata of users is deleted with them, and other objects of the job stay", () => {
  expect(linesFor({ user_metadata: 486 })).not.toContain("stays:");
  expect(linesFor({ user_grant: 2, org_member: 1, user_link: 3 })).not.toContain("stays:");
  expect(linesFor({ user_metadata: 486, project: 1, project_role: 2 })).toContain(
    "stays:    other objects of the job: 1 project, 2 project roles",
  );
});

test("kept users are named by reason, the first five of each", () => {
  const ids = ["u1", "u2", "u3", "u4", "u5", "u6", "u7"].map((id) => ({ id, reason: "signed-in" }));
  const kept = new Map([
    ["signed-in", 7],
    ["protected", 1],
  ]);
  const all = { ...numbers, listed: 8, kept: 8, toRemove: 0 };
  const lines = undoSummaryLines(all, kept, [...ids, { id: "admin", reason: "protected" }], false);
  expect(lines).toContain("          u1, u2, u3, u4, u5 and 2 more (all: --report)");
  expect(lines).toContain("          admin");
});
