import { expect, test } from "vitest";
import type { ServiceEvent } from "../../../../src/contract/events.ts";
import { BelongingLog } from "../../../../src/core/events/belonging-log.ts";

const entry = { userId: "u", projectId: "p", grantId: "pg" };

/** A log in which each event is a second later than the one before: `type@aggregate`. */
function logOf(...events: readonly string[]): BelongingLog {
  const log = new BelongingLog((userId) => userId === "u");
  for (const [second, text] of events.entries()) {
    const [type = "", id = ""] = text.split("@");
    const payload = /^user\.(human|removed)/.test(type)
      ? {}
      : { userId: "u", ...(type === "user.grant.added" ? { projectId: "p" } : {}), grantId: "pg" };
    log.take({
      type: { type },
      aggregate: { id, resourceOwner: "o" },
      creationDate: `2026-01-01T00:00:${String(second).padStart(2, "0")}.000001Z`,
      editor: { userId: `by${second}` },
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
  const former = logOf(...events).former("userGrants", entry, "o");
  if (found === undefined) expect(former).toBeUndefined();
  else expect(former).toMatchObject(found);
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
    expect(log.former(list, entry, "o")).toMatchObject(found);
  },
);

test("a membership of another organization is another one", () => {
  const log = logOf("user.human.added@u", "org.member.added@o", "user.removed@u", "user.human.added@u");
  expect(log.former("orgMembers", entry, "other")).toBeUndefined();
});

test.each<readonly [why: string, events: readonly string[], found: object | undefined]>([
  ["added in this life", ["user.human.added@u", "user.grant.added@g1"], { grantId: "g1", isGone: false, by: "by1" }],
  [
    "changed by another account since",
    ["user.human.added@u", "user.grant.added@g1", "user.grant.changed@g1"],
    { grantId: "g1", isGone: false, by: "by2" },
  ],
  [
    "removed since",
    ["user.human.added@u", "user.grant.added@g1", "user.grant.removed@g1"],
    { grantId: "g1", isGone: true, by: "by2" },
  ],
  ["of a former life", [...LIFE, "user.human.added@u"], undefined],
  ["of a deleted user", LIFE, undefined],
  ["added in the second life", [...LIFE, "user.human.added@u", "user.grant.added@g2"], { grantId: "g2", by: "by4" }],
])("a grant of the present life: %s", (_why, events, found) => {
  const present = logOf(...events).present("userGrants", entry, "o");
  if (found === undefined) expect(present).toBeUndefined();
  else expect(present).toMatchObject(found);
});

test("a link is named by the provider and the identity there", () => {
  const log = new BelongingLog(() => true);
  const event = (type: string, second: number, payload: object): ServiceEvent =>
    ({
      type: { type },
      aggregate: { id: "u", resourceOwner: "o" },
      creationDate: `2026-01-01T00:00:0${second}Z`,
      editor: { userId: `by${second}` },
      payload,
    }) as ServiceEvent;
  log.take(event("user.human.externalidp.added", 1, { idpConfigId: "i1", userId: "x" }));
  log.take(event("user.human.externalidp.removed", 2, { idpConfigId: "i2", userId: "x" }));
  const link = (idpId: string) => log.present("userLinks", { userId: "u", idpId, providedUserId: "x" }, "o");
  expect(link("i1")).toMatchObject({ isGone: false, by: "by1" });
  expect(link("i2")).toBeUndefined();
});
