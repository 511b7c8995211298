import { expect, test } from "vitest";
import { MetadataComparison } from "../../../../src/core/events/metadata-comparison.ts";

const event = (type: string, payload?: unknown, resourceOwner = "o") => ({
  aggregate: { id: "u1", resourceOwner },
  sequence: "1",
  creationDate: "2026-01-01T00:00:00Z",
  type: { type },
  payload,
});
const set = (value: string, key = "k") => event("user.metadata.set", { key, value });
const removed = event("user.metadata.removed", { key: "k" });
const added = event("user.human.added");
const deleted = event("user.removed");

test.each([
  ["never set", [added], "different"],
  ["set", [added, set("MQ==")], "same"],
  ["another value", [added, set("Mg==")], "different"],
  ["changed since", [added, set("MQ=="), set("Mg==")], "changed"],
  ["removed since", [added, set("MQ=="), removed], "changed"],
  ["set again", [added, set("MQ=="), removed, set("MQ==")], "same"],
  ["of a former life", [added, set("MQ=="), deleted, added], "different"],
  ["in both lives", [added, set("MQ=="), deleted, added, set("MQ==")], "same"],
  ["all removed", [added, set("MQ=="), event("user.metadata.removed.all")], "different"],
  ["another key", [added, set("MQ==", "other")], "different"],
  ["another organization", [added, event("user.metadata.set", { key: "k", value: "MQ==" }, "p")], "different"],
] as const)("an entry that was %s", (_, events, result) => {
  const comparison = new MetadataComparison();
  comparison.expect("o", "u1", "k", "MQ==");
  for (const one of events) comparison.apply(one);
  expect(comparison.takeResult("o", "u1", "k")).toBe(result);
  expect(comparison.takeResult("o", "u1", "k")).toBeUndefined();
});
