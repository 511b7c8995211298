import { expect, test } from "vitest";
import { foldGrant, grantEntry } from "../../../../../src/core/events/rebuild/grant-fold.ts";

const added = { type: "user.grant.added", sequence: 1, payload: { userId: "u", projectId: "p", roleKeys: ["a", "b"] } };

test.each([
  [[], { userId: "u", projectId: "p", roleKeys: ["a", "b"] }],
  [
    [{ type: "user.grant.changed", sequence: 2, payload: { roleKeys: ["a"] } }],
    { userId: "u", projectId: "p", roleKeys: ["a"] },
  ],
  [[{ type: "user.grant.cascade.changed", sequence: 2, payload: {} }], { userId: "u", projectId: "p" }],
])("a grant has the roles of its last change %j", (later, entry) => {
  const grant = foldGrant([...later, added]);
  expect(grant && grantEntry(grant)).toEqual(entry);
});

test.each(["user.grant.removed", "user.grant.cascade.removed"])("%s ends a grant", (type) => {
  expect(foldGrant([{ type, sequence: 2 }, added])).toBeUndefined();
  expect(foldGrant([{ type, sequence: 2 }])).toBeUndefined();
});

test("a grant on a granted project names the project grant", () => {
  const grant = foldGrant([{ ...added, payload: { ...added.payload, grantId: "g" } }]);
  expect(grant && grantEntry(grant)).toMatchObject({ projectGrantId: "g" });
});
