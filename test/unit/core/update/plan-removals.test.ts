import { expect, test } from "vitest";
import { createDigester } from "../../../../src/core/events/digest.ts";
import { UserLog } from "../../../../src/core/events/user-log.ts";
import { planRemovals, type RemovalOptions } from "../../../../src/core/update/plan-removals.ts";

const OURS = { isOurs: true, isSince: false };
const THEIRS = { isOurs: false, isSince: false };
const view = { userName: "ada", state: "active" };

/** `count` users, u0 to …, made by this job's service user. */
function logOf(count: number): UserLog {
  const log = new UserLog(createDigester("key"));
  for (let index = 0; index < count; index += 1) log.apply("o1", `u${index}`, { kind: "added", view }, OURS);
  return log;
}

const ids = (count: number): string[] => Array.from({ length: count }, (_, index) => `u${index}`);
const plan = (log: UserLog, removed: readonly string[], options: Partial<RemovalOptions> = {}, again: string[] = []) =>
  planRemovals(new Map([["o1", new Set(removed)]]), (_, id) => again.includes(id), log, {
    how: "delete",
    most: undefined,
    isIncomplete: () => false,
    protectedUsers: new Set(),
    isOther: () => false,
    ...options,
  });

test("an existing user that a copy created is removed, and no other", () => {
  const log = logOf(5);
  log.apply("o1", "admin", { kind: "added", view }, THEIRS);
  log.apply("o1", "u3", { kind: "removed" }, THEIRS);
  expect(plan(log, ["u1", "u2", "u3", "admin", "unknown"], {}, ["u2"]).orgs).toMatchObject([
    { userIds: ["u1"], notOurs: ["admin"], removed: [] },
  ]);
});

test("no user is removed in an organization of which the input lacks users, and these do not count against the limit", () => {
  const log = logOf(50);
  expect(plan(log, ids(40), { isIncomplete: (orgId) => orgId === "o1" })).toMatchObject({
    orgs: [{ userIds: [], incomplete: ids(40), removed: [], notOurs: [] }],
    isTooMany: false,
  });
});

test("a user that this job removed before it was interrupted counts as removed", () => {
  const log = logOf(5);
  log.apply("o1", "u1", { kind: "removed" }, { isOurs: true, isSince: true });
  expect(plan(log, ["u1", "u2"]).orgs).toMatchObject([{ userIds: ["u2"], removed: ["u1"] }]);
});

test.each([
  [100, 10, false],
  [100, 11, true],
  [2_000, 20, false],
  [2_000, 21, true],
])("of %d users %d may go at once: one in a hundred, and ten at least", (users, removed, isTooMany) => {
  expect(plan(logOf(users), ids(removed)).isTooMany).toBe(isTooMany);
});

test("a user with a role on the instance is never removed, and does not count against the limit", () => {
  const protectedUsers = new Set(["u1"]);
  expect(plan(logOf(5), ["u1", "u2"], { protectedUsers, most: 1 })).toMatchObject({
    orgs: [{ userIds: ["u2"], protected: ["u1"] }],
    isTooMany: false,
  });
});

test("the limit can be set, also to 0", () => {
  expect(plan(logOf(100), ids(11), { most: 11 }).isTooMany).toBe(false);
  expect(plan(logOf(100), ids(1), { most: 0 }).isTooMany).toBe(true);
});

test("an inactive user is not deactivated again", () => {
  const log = logOf(3);
  log.apply("o1", "u1", { kind: "changed", view: { state: "inactive" } }, OURS);
  expect(plan(log, ["u1", "u2"], { how: "deactivate" }).orgs).toMatchObject([{ userIds: ["u2"] }]);
});

test("an inactive account of others is only named where users are deleted", () => {
  const log = logOf(2);
  log.apply("o1", "their", { kind: "added", view }, THEIRS);
  for (const id of ["u1", "their"]) log.apply("o1", id, { kind: "changed", view: { state: "inactive" } }, THEIRS);
  const notOursWith = (how: RemovalOptions["how"]) =>
    plan(log, ["u1", "their"], { how, isOther: (id) => id === "u1" }).orgs.flatMap(({ notOurs, otherPerson }) => [
      ...notOurs,
      ...otherPerson,
    ]);
  expect(notOursWith("delete")).toEqual(["their", "u1"]);
  // It cannot sign in, and stays as it is.
  expect(notOursWith("deactivate")).toEqual([]);
  expect(notOursWith("keep")).toEqual([]);
});
