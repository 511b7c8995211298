import { expect, test } from "vitest";
import { InvitationLog } from "../../../../src/core/events/invitation-log.ts";

type Step = readonly [userId: string, type: string, minute: number, payload?: object];

/** Who of three users counts as invited, an hour after the first event. */
function invited(steps: readonly Step[], now = 60): readonly string[] {
  const log = new InvitationLog();
  const ids = ["u1", "u2", "u3"];
  const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
  for (const id of ids) log.follow(id, "o1", []);
  for (const [id, type, minute, payload] of [...ids.map((id) => [id, "added", 0] as Step), ...steps])
    log.take({
      aggregate: { id, resourceOwner: "o1" },
      sequence: "1",
      creationDate: at(minute),
      type: { type: `user.human.${type}` },
      payload,
    });
  return ids.filter((id) => log.whyNot(id, false, new Date(at(now))) === "invited-before");
}

const ADDED = "initialization.code.added";
const SENT = "initialization.code.sent";

test("an e-mail counts if it was sent, or requested a moment ago; not if only a code was returned", () => {
  const steps: readonly Step[] = [
    ["u1", ADDED, 1],
    ["u1", SENT, 2],
    ["u2", ADDED, 1],
    ["u3", "invite.code.added", 58, { code_returned: true }],
  ];
  expect(invited(steps)).toEqual(["u1"]);
  expect(invited([...steps, ["u3", "password.code.added", 58]])).toEqual(["u1", "u3"]);
});

test("while the service is still sending, a later one of many is on its way, and a former one is given up", () => {
  const steps: readonly Step[] = [
    ["u1", ADDED, 1],
    ["u2", ADDED, 30],
    ["u3", ADDED, 31],
    ["u2", SENT, 57],
  ];
  expect(invited(steps)).toEqual(["u2", "u3"]);
  expect(invited(steps, 90)).toEqual(["u2"]);
});

test("an e-mail to a former address is none", () => {
  const steps: readonly Step[] = [
    ["u1", ADDED, 1],
    ["u1", SENT, 2],
    ["u2", ADDED, 1],
    ["u2", SENT, 2],
    ["u2", "email.changed", 3, { email: "new@example.com" }],
  ];
  expect(invited(steps)).toEqual(["u1"]);
  expect(invited([...steps, ["u2", ADDED, 4], ["u2", SENT, 5]])).toEqual(["u1", "u2"]);
});
