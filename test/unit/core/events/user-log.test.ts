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
