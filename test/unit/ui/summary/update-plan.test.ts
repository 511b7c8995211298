import { expect, test } from "vitest";
import { noteRemovals, UpdateResult } from "../../../../src/core/update/update-result.ts";
import { heldBack, objectLines } from "../../../../src/ui/summary/left-objects.ts";
import { differentHint, updateLines } from "../../../../src/ui/summary/update-plan.ts";
import { CODES_OF_UPDATE } from "../../../../src/ui/summary/user-lists.ts";

const NAMES = new Map<string, string>();
const idsOf = (count: number, mark: string) => Array.from({ length: count }, (_, at) => `${mark}${at}`);

test("the advice about too many deletions has the number of one organization, for which the limit is", () => {
  const result = new UpdateResult();
  const nothing = { removed: [], notOurs: [], otherPerson: [], incomplete: [], protected: [], limit: 10 };
  const orgs = [
    { ...nothing, orgId: "a", userIds: idsOf(12, "a") },
    { ...nothing, orgId: "b", userIds: idsOf(1, "b") },
  ];
  noteRemovals({ how: "delete", orgs, isTooMany: true }, result, false);
  const lines = updateLines(result, true, NAMES, { isSettled: false, isCopy: true }).join("\n");
  expect(lines).toContain("13 users were deleted at the source");
  expect(lines).toContain("If they are right, use --max-deletes 12.");
});

test("a list of users that is cut ends with where the rest is", () => {
  const notUpdated = idsOf(7, "u").map((userId) => ({ userId, fields: ["otp"] }));
  const lines = updateLines({ notUpdated }, true, NAMES, { isSettled: false, isCopy: true });
  expect(lines.join("\n")).toContain("u0: otp; u1: otp; u2: otp; u3: otp; u4: otp, … 2 more (--report)");
});

test("ways to sign in, memberships and grants come first in the list of what was not sent", () => {
  const metadata = idsOf(12, "u").map((userId) => ({ type: "userMetadata", id: `${userId}_plan`, userId }));
  const rights = ["userGrants", "orgMembers", "machineKeys"].map((type) => ({ type, id: "x", userId: "u99" }));
  const all = [...metadata, ...rights].map((one) => ({ ...one, orgId: "o", cause: "taken-away" as const }));
  const [found] = heldBack({ heldBack: all, heldBackCauses: { "taken-away": all.length } });
  const lines = found === undefined ? [] : objectLines(found);
  expect(lines.slice(0, 4).map((line) => line.trim())).toEqual([
    "key x of user u99 of organization o",
    "membership x of user u99 of organization o",
    "role grant in project x of user u99 of organization o",
    "metadata plan of user u0 of organization o",
  ]);
  expect(lines.at(-1)).toContain("… and 5 more (5 × metadata); --report lists them");
});

test("users who differ in their one-time codes are updated, with the limits of that", () => {
  const otp = { fields: ["otp"] };
  const both = { fields: ["email", "otp"] };
  expect(differentHint([otp, both], "Use --update.")).toBe(`Use --update. ${CODES_OF_UPDATE}`);
  expect(differentHint([{ fields: ["email"] }], "Use --update.")).toBe("Use --update.");
});
