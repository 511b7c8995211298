import { expect, test } from "vitest";
import { createDigester } from "../../../../src/core/events/digest.ts";
import { UserLog } from "../../../../src/core/events/user-log.ts";

test("a field that the job has changed is touched, until another account changes it", () => {
  const log = new UserLog(createDigester("key"));
  const job = { isOurs: true, isSince: true };
  const change = (view: object, actor: { isOurs: boolean; isSince: boolean }) =>
    log.apply("o1", "u1", { kind: "changed", view }, actor);
  log.apply("o1", "u1", { kind: "added", view: { firstName: "A" } }, { isOurs: true, isSince: false });
  change({ firstName: "B", state: "locked" }, job);
  expect(log.find("o1", "u1")?.touched).toEqual(["firstName", "state"]);
  change({ state: "active" }, { isOurs: false, isSince: true });
  expect(log.find("o1", "u1")?.touched).toEqual(["firstName"]);
});

test("a removed organization has no users, and the users of a later one with its id exist", () => {
  const digest = createDigester("key");
  const actor = { isOurs: true, isSince: false };
  const add = (log: UserLog, id: string) => log.apply("o1", id, { kind: "added", view: { userName: "ada" } }, actor);
  const log = new UserLog(digest);
  for (const id of ["u1", "u2"]) add(log, id);
  log.removeOrg("o1");
  expect(log.find("o1", "u1")).toMatchObject({ isThere: false });
  expect(log.usersOf("o1")).toBe(0);
  add(log, "u3");
  const saved = new UserLog(digest, log.save());
  for (const one of [log, saved]) {
    const [gone, there] = [one.find("o1", "u1"), one.find("o1", "u3")];
    expect([gone?.isThere, there?.isThere, one.usersOf("o1")]).toEqual([false, true, 1]);
    expect(there && one.hasOtherOfName(there, "ada")).toBe(false);
  }
  add(saved, "u1");
  saved.apply("o1", "u3", { kind: "removed" }, actor);
  expect([saved.find("o1", "u1")?.isThere, saved.usersOf("o1")]).toEqual([true, 1]);
});
