import { expect, test } from "vitest";
import { createDigester } from "../../../../src/core/events/digest.ts";
import { MetadataLog } from "../../../../src/core/events/metadata-log.ts";

const OURS = { isOurs: true, isSince: false };
const OTHER = { isOurs: false, isSince: true };

const create = (): MetadataLog => new MetadataLog(createDigester("key"));

test("an entry is the same, different, or set by another user", () => {
  const log = create();
  log.set(1, "plan", "Z29sZA==", OURS);
  log.set(1, "theme", "ZGFyaw==", OTHER);
  expect(log.compare(1, "plan", "Z29sZA==")).toBe("same");
  expect(log.compare(1, "plan", "c2lsdmVy")).toBe("different");
  expect(log.compare(1, "theme", "ZGFyaw==")).toBe("same");
  expect(log.compare(1, "theme", "bGlnaHQ=")).toBe("foreign");
  expect(log.compare(1, "new", "bGlnaHQ=")).toBe("different");
  expect(log.compare(2, "plan", "Z29sZA==")).toBe("different");
});

test("an entry that another user removed stays removed", () => {
  const log = create();
  log.set(1, "plan", "Z29sZA==", OURS);
  log.remove(1, "plan", OTHER);
  expect(log.compare(1, "plan", "Z29sZA==")).toBe("foreign");
});

test("entries of this job that are not wanted are unwanted, also among many", () => {
  const log = create();
  for (let user = 0; user < 1_000; user += 1) log.set(user, "plan", "Z29sZA==", OURS);
  log.set(7, "theme", "ZGFyaw==", OTHER);
  for (let user = 0; user < 1_000; user += 1) if (user !== 7) log.compare(user, "plan", "Z29sZA==");
  expect([...log.unwanted()]).toEqual([{ user: 7, key: "plan" }]);
});

test("a recreated user has no entries", () => {
  const log = create();
  log.set(1, "plan", "Z29sZA==", OURS);
  log.clear(1);
  expect([...log.unwanted()]).toEqual([]);
  expect(log.compare(1, "plan", "c2lsdmVy")).toBe("different");
  // The service takes this value for set: it has to be removed first, and it stays so however often one looks.
  for (let times = 0; times < 2; times += 1) expect(log.compare(1, "plan", "Z29sZA==")).toBe("stale");
  // Removed to be set again: a run that was cut off in between leaves it so.
  log.remove(1, "plan", OURS);
  expect(log.compare(1, "plan", "Z29sZA==")).toBe("stale");
  expect(log.compare(1, "plan", "c2lsdmVy")).toBe("different");
  log.set(1, "plan", "Z29sZA==", OURS);
  expect(log.compare(1, "plan", "Z29sZA==")).toBe("same");
});

test("an entry that the job has set or removed is touched, until another user changes it", () => {
  const log = create();
  const job = { isOurs: true, isSince: true };
  log.set(1, "before", "Z29sZA==", OURS);
  log.set(1, "set", "Z29sZA==", job);
  log.set(1, "removed", "Z29sZA==", OURS);
  log.remove(1, "removed", job);
  log.set(1, "lost", "Z29sZA==", job);
  log.set(1, "lost", "ZGFyaw==", OTHER);
  const keysOf = (list: Iterable<{ key: string }>) => [...list].map(({ key }) => key);
  expect(keysOf(log.touched())).toEqual(["set", "removed"]);
  expect(keysOf(log.unwanted())).toEqual(["before", "set"]);
  expect(keysOf(new MetadataLog(createDigester("key"), log.save()).touched())).toEqual([]);
});
