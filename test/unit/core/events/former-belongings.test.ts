import { expect, test } from "vitest";
import type { ServiceEvent } from "../../../../src/contract/events.ts";
import { FormerBelongings } from "../../../../src/core/events/former-belongings.ts";

const entry = { userId: "u", projectId: "p", grantId: "pg" };

/** A log in which each event is a second later than the one before: `type@aggregate`. */
function logOf(...events: readonly string[]): FormerBelongings {
  const log = new FormerBelongings((userId) => userId === "u");
  for (const [second, text] of events.entries()) {
    const [type = "", id = ""] = text.split("@");
    const payload = /^user\.(human|removed)/.test(type)
      ? {}
      : { userId: "u", ...(type === "user.grant.added" ? { projectId: "p" } : {}), grantId: "pg" };
    log.take({
      type: { type },
      aggregate: { id, resourceOwner: "o" },
      creationDate: `2026-01-01T00:00:${String(second).padStart(2, "0")}.000001Z`,
      payload,
    } as ServiceEvent);
  }
  return log;
}

const LIFE = ["user.human.added@u", "user.grant.added@g1", "user.removed@u"];

test.each<readonly [why: string, events: readonly string[], found: object | undefined]>([
  ["the service wrote no removal", [...LIFE, "user.human.added@u"], { grantId: "g1", isInWay: true }],
  [
    "it was taken away, and not given again",
    [...LIFE, "user.human.added@u", "user.grant.removed@g1"],
    { grantId: "g1", isInWay: false },
  ],
  [
    "it was removed with the user",
    [...LIFE, "user.grant.cascade.removed@g1", "user.human.added@u"],
    { grantId: "g1", isInWay: false },
  ],
  ["the user has it again", [...LIFE, "user.human.added@u", "user.grant.added@g2"], undefined],
  [
    "it was taken from the recreated user",
    [...LIFE, "user.human.added@u", "user.grant.added@g2", "user.grant.removed@g2"],
    undefined,
  ],
  ["the user does not exist", LIFE, undefined],
  ["the user never had it", ["user.human.added@u", "user.removed@u", "user.human.added@u"], undefined],
  ["the user was never removed", ["user.human.added@u", "user.grant.added@g1"], undefined],
])("a grant of a former life: %s", (_why, events, found) => {
  expect(logOf(...events).find("userGrants", entry, "o")).toEqual(found);
});

test.each([
  ["orgMembers", "org.member.added@o", "org.member.cascade.removed@o", { grantId: "pg", isInWay: false }],
  ["projectMembers", "project.member.added@p", "project.member.cascade.removed@p", { grantId: "pg", isInWay: true }],
  [
    "projectGrantMembers",
    "project.grant.member.added@p",
    "project.grant.member.cascade.removed@p",
    { grantId: "pg", isInWay: true },
  ],
] as const)(
  "%s stand in the way or not after the service removed them with the user",
  (list, added, removed, found) => {
    const log = logOf("user.human.added@u", added, "user.removed@u", removed, "user.human.added@u");
    expect(log.find(list, entry, "o")).toEqual(found);
  },
);

test("a membership of another organization is another one", () => {
  const log = logOf("user.human.added@u", "org.member.added@o", "user.removed@u", "user.human.added@u");
  expect(log.find("orgMembers", entry, "other")).toBeUndefined();
});
