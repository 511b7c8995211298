import { expect, test } from "vitest";
import type { ServiceEvent } from "../../../../src/contract/events.ts";
import { changeEvents, historyEvents, UserHistory } from "../../../../src/core/events/user-history.ts";
import { creationEvents } from "../../../../src/core/events/user-life.ts";

const MARK = "2026-01-01T00:00:00.000Z";
let second = 0;

function event(id: string, type: string, sequence: number, payload?: unknown, resourceOwner = "o"): ServiceEvent {
  second += 1;
  const creationDate = new Date(Date.parse(MARK) + second * 1_000).toISOString();
  return { aggregate: { id, resourceOwner }, sequence: String(sequence), creationDate, type: { type }, payload };
}

function historyOf(log: readonly ServiceEvent[], ids: readonly string[]): UserHistory {
  const history = new UserHistory(ids, { mark: MARK });
  for (const one of log) history.take(one);
  return history;
}

test("actions of users, failed sign-ins among them, are distinguished from those of the import", () => {
  const ids = ["new", "failed", "signed", "changed", "link", "gone", "anew"];
  const log = [
    ...ids.map((id) => event(id, "user.human.added", 1)),
    event("failed", "user.human.password.check.failed", 2),
    event("signed", "user.human.password.check.succeeded", 2),
    event("changed", "user.human.password.changed", 2),
    event("session-1", "session.user.checked", 1, { userID: "link" }),
    event("gone", "user.removed", 2),
    event("anew", "user.removed", 2),
    event("anew", "user.human.added", 3),
    event("stranger", "user.human.password.changed", 2),
  ];
  const history = historyOf(log, [...ids, "unseen"]);
  const fateOf = (id: string) => (history.of(id)?.isGone === true ? "gone" : history.of(id)?.touch);
  expect(Object.fromEntries(ids.map((id) => [id, fateOf(id)]))).toEqual({
    new: undefined,
    failed: "signed-in",
    signed: "signed-in",
    changed: "password-changed",
    link: "signed-in",
    gone: "gone",
    anew: "made-anew",
  });
  expect(history.of("unseen")).toBeUndefined();
  expect(history.of("stranger")).toBeUndefined();
});

test("a password that the account of the job changed later is no change by the user, and a sign-in counts more", () => {
  const by = (editor: string, one: ServiceEvent): ServiceEvent => ({ ...one, editor: { userId: editor } });
  const ids = ["night", "owner", "used"];
  const log = [
    ...ids.map((id) => by("job", event(id, "user.human.added", 1))),
    by("job", event("night", "user.human.password.changed", 2)),
    by("owner", event("owner", "user.human.password.changed", 2)),
    by("job", event("used", "user.human.password.changed", 2)),
    by("used", event("used", "user.human.password.check.succeeded", 3)),
  ];
  const history = historyOf(log, ids);
  const touches = ids.map((id) => history.of(id)?.touch);
  expect(touches).toEqual(["password-updated", "password-changed", "signed-in"]);
});

test("one search asks for all events of a history: the service takes at most 30 types", () => {
  expect(historyEvents.length).toBeLessThanOrEqual(30);
  expect(historyEvents).toEqual(expect.arrayContaining([...creationEvents]));
});

test.each(creationEvents)("a user created by %s exists, and a second one with the id is another user", (type) => {
  const added = event("a", type, 1);
  const history = historyOf([added], ["a"]);
  expect(history.of("a")).toMatchObject({ isThere: true, added: 1, touch: undefined });
  expect(history.isLastCreation(added)).toBe(true);
  history.take(event("a", "user.removed", 2));
  history.take(event("a", type, 3));
  expect(history.of("a")).toMatchObject({ isThere: true, added: 2, touch: "made-anew" });
  expect(history.isLastCreation(added)).toBe(false);
});

test("a user who is removed before the first creation existed before the job", () => {
  const history = historyOf([event("a", "user.removed", 4), event("a", "user.human.added", 5)], ["a"]);
  expect(history.of("a")).toMatchObject({ isThere: true, added: 1, touch: "existed-before" });
});

test("a user that no account of the job created, or who was created after the job, is not the job's", () => {
  const by = new Set(["job"]);
  const created = (editor: string, creationDate: string): ServiceEvent => ({
    ...event("a", "user.human.added", 1),
    editor: { userId: editor },
    creationDate,
  });
  const touchOf = (one: ServiceEvent): unknown => {
    const history = new UserHistory(["a"], { mark: MARK, by, until: "2026-01-01T01:00:00.5Z" });
    history.follow("a", 1);
    history.take(one);
    return history.of("a")?.touch;
  };
  expect(touchOf(created("job", "2026-01-01T01:00:00.4Z"))).toBeUndefined();
  expect(touchOf(created("job", "2026-01-01T01:00:05.4Z"))).toBeUndefined();
  expect(touchOf(created("job", "2026-01-01T01:00:05.6Z"))).toBe("not-by-job");
  expect(touchOf(created("other", "2026-01-01T00:30:00Z"))).toBe("not-by-job");
  expect(touchOf(event("a", "user.human.added", 1))).toBe("not-by-job");
});

test("an event that is taken twice counts once", () => {
  const log = [event("a", "user.human.added", 1), event("a", "user.human.password.check.succeeded", 2)];
  expect(historyOf([...log, ...log], ["a"]).of("a")).toMatchObject({ added: 1, touch: "signed-in" });
});

test("a user is in the organization of the last event, also if the log is read by organization", () => {
  const former = [event("a", "user.human.added", 1, {}, "old"), event("a", "user.removed", 2, {}, "old")];
  const latter = event("a", "user.human.added", 3, {}, "new");
  for (const log of [
    [...former, latter],
    [latter, ...former],
  ])
    expect(historyOf(log, ["a"]).homeOf("a")).toBe("new");
  expect(historyOf(former, ["a"]).homeOf("a")).toBeUndefined();
});

test("a change counts if another account than the creator made it, also where the user is in the payload", () => {
  const ids = ["own", "other", "granted", "member", "gone", "unseen"];
  const by = (userId: string, one: ServiceEvent): ServiceEvent => ({ ...one, editor: { userId } });
  const history = historyOf(
    ids.slice(0, 5).map((id) => by("job", event(id, "user.human.added", 1))),
    ids,
  );
  for (const one of [
    by("job", event("own", "user.human.profile.changed", 2)),
    by("admin", event("other", "user.metadata.set", 2)),
    by("job", event("grant-1", "user.grant.added", 1, { userId: "own" })),
    by("admin", event("grant-2", "user.grant.added", 1, { userId: "granted" })),
    by("admin", event("org1", "org.member.added", 1, { userId: "member" })),
    by("admin", event("unseen", "user.locked", 1)),
  ])
    history.takeChange(one);
  expect(Object.fromEntries(ids.map((id) => [id, history.of(id)?.touch]))).toEqual({
    own: undefined,
    other: "changed",
    granted: "changed",
    member: "changed",
    gone: undefined,
    unseen: undefined,
  });
});

test("a change that is read before the creation of its user counts too", () => {
  const by = (userId: string, one: ServiceEvent): ServiceEvent => ({ ...one, editor: { userId } });
  const history = historyOf([], ["own", "other", "unseen"]);
  history.takeChange(by("job", event("own", "user.locked", 2)));
  history.takeChange(by("job", event("other", "user.human.profile.changed", 2)));
  history.takeChange(by("admin", event("other", "user.locked", 3)));
  history.takeChange(by("admin", event("unseen", "user.locked", 1)));
  for (const id of ["own", "other"]) history.take(by("job", event(id, "user.human.added", 1)));
  const touches = ["own", "other", "unseen"].map((id) => history.of(id)?.touch);
  expect(touches).toEqual([undefined, "changed", undefined]);
});

test("one search asks for all changes, too", () => {
  expect(changeEvents.length).toBeLessThanOrEqual(30);
});
