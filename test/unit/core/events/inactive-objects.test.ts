import { expect, test } from "vitest";
import type { ServiceEvent } from "../../../../src/contract/events.ts";
import { InactiveObjects, inactiveEventTypes, isInactiveGrant } from "../../../../src/core/events/inactive-objects.ts";

function event(type: string, id: string, payload?: object): ServiceEvent {
  return { aggregate: { id, resourceOwner: "o" }, sequence: "1", creationDate: "", type: { type }, payload };
}

function after(...events: readonly ServiceEvent[]): InactiveObjects {
  const found = new InactiveObjects();
  for (const one of events) found.take(one);
  return found;
}

const added = event("user.grant.added", "g", { userId: "u", projectId: "p", grantId: "pg" });

test("a role grant, a project and an application are inactive after their deactivation", () => {
  const found = after(
    event("project.application.deactivated", "p", { appId: "a" }),
    event("project.deactivated", "p"),
    event("user.grant.deactivated", "g"),
  );
  expect(found.openGrants).toEqual(["g"]);
  found.describe(added);
  found.describe(event("user.grant.added", "other", { userId: "x", projectId: "p" }));
  expect(found.openGrants).toEqual([]);
  expect(found.all).toEqual([
    { type: "user_grant", id: "g", orgId: "o", userId: "u", projectId: "p", projectGrantId: "pg" },
    { type: "project", id: "p", orgId: "o" },
    { type: "application", id: "a", orgId: "o", projectId: "p" },
  ]);
});

test.each([
  ["user.grant.deactivated", "user.grant.reactivated"],
  ["user.grant.deactivated", "user.grant.removed"],
  ["user.grant.deactivated", "user.grant.cascade.removed"],
  ["project.deactivated", "project.reactivated"],
  ["project.deactivated", "project.removed"],
  ["action.deactivated", "action.reactivated"],
  ["action.deactivated", "action.removed"],
])("after %s and %s, nothing is inactive", (first, second) => {
  expect(after(event(first, "x"), event(second, "x")).all).toEqual([]);
});

test.each(["reactivated", "removed"])("an application that was %s is not inactive, and another one is", (change) => {
  const found = after(
    event("project.application.deactivated", "p", { appId: "a" }),
    event("project.application.deactivated", "p", { appId: "b" }),
    event(`project.application.${change}`, "p", { appId: "a" }),
    event("project.reactivated", "p"),
  );
  expect(found.all.map(({ id }) => id)).toEqual(["b"]);
});

test.each([
  ["org.idp.config.reactivated", "idpConfigId"],
  ["org.idp.config.removed", "idpConfigId"],
  ["org.idp.removed", "id"],
])("after %s, an identity provider is not inactive, and another one is", (type, name) => {
  const found = after(
    event("org.idp.config.deactivated", "o", { idpConfigId: "a" }),
    event("org.idp.config.deactivated", "o", { idpConfigId: "b" }),
    event(type, "o", { [name]: "a" }),
  );
  expect(found.all).toEqual([{ type: "identity_provider", id: "b", orgId: "o" }]);
  expect(inactiveEventTypes.length).toBeLessThanOrEqual(30);
});

const granted = event("project.grant.added", "p", { grantId: "g", grantedOrgId: "o2", roleKeys: ["r"] });

test("a project grant is inactive after its deactivation, and named with the organization that has it", () => {
  const found = after(event("project.grant.deactivated", "p", { grantId: "g" }));
  expect(found.openGrants).toEqual(["p"]);
  found.describe(event("project.grant.added", "p", { grantId: "other", grantedOrgId: "o3" }));
  found.describe(granted);
  expect(found.openGrants).toEqual([]);
  expect(found.all).toEqual([{ type: "project_grant", id: "g", orgId: "o", projectId: "p", grantedOrgId: "o2" }]);
});

test.each([
  ["project.grant.reactivated", { grantId: "g" }],
  ["project.grant.removed", { grantId: "g" }],
  ["project.removed", {}],
])("after %s, a project grant is not inactive", (type, payload) => {
  expect(after(event("project.grant.deactivated", "p", { grantId: "g" }), event(type, "p", payload)).all).toEqual([]);
});

test("what is in a removed project is gone with it", () => {
  const found = after(
    event("user.grant.deactivated", "g"),
    event("project.application.deactivated", "p", { appId: "a" }),
    event("project.removed", "p"),
  );
  found.describe(added);
  expect(found.all).toEqual([]);
});

test("an entry of an export is found by user, project and grant of the project", () => {
  const found = after(event("user.grant.deactivated", "g"));
  found.describe(added);
  const isInactive = isInactiveGrant(found.all);
  const entry = { userId: "u", projectId: "p", projectGrantId: "pg", roleKeys: ["r"] };
  expect(isInactive(Buffer.from(JSON.stringify(entry)))).toBe(true);
  expect(isInactive(Buffer.from(JSON.stringify({ ...entry, projectGrantId: undefined })))).toBe(false);
  expect(isInactive(Buffer.from(JSON.stringify({ ...entry, userId: "v" })))).toBe(false);
});
