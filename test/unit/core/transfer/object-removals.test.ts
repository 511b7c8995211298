import { expect, test } from "vitest";
import { MOST_EVENT_TYPES } from "../../../../src/admin/events.ts";
import { policyKinds, textKinds } from "../../../../src/core/document/listed-org.ts";
import { isHarmed, mayBeRemoved, ObjectRemovals, objectEvents } from "../../../../src/core/transfer/object-removals.ts";

// Each object has one name, whether an element or an event names it (service behaviour 9.40).

const event = (type: string, id: string, payload: object = {}) => ({
  ...{ sequence: "1", creationDate: "2026-01-01T00:00:00Z", editor: { userId: "any", displayName: "", service: "" } },
  aggregate: { id, resourceOwner: "org1", type: { type: "any" } },
  ...{ type: { type }, payload },
});

test.each([
  ["projectRoles", { projectId: "p", roleKey: "r" }, "project.role", "p", { key: "r" }],
  ["projectGrants", { grantId: "g" }, "project.grant", "p", { grantId: "g" }],
  ["projectGrantMembers", { grantId: "g", userId: "u" }, "project.grant", "p", { grantId: "g" }],
  ["userGrants", { projectId: "p", userId: "u", projectGrantId: "g" }, "project.grant", "p", { grantId: "g" }],
  ["oidcApps", { appId: "a" }, "project.application", "p", { appId: "a" }],
  ["apiApps", { appId: "a" }, "project.application", "p", { appId: "a" }],
  ["appKeys", { id: "k", appId: "a" }, "project.application.oidc.key", "p", { keyId: "k" }],
  ["appKeys", { id: "k", appId: "a" }, "project.application", "p", { appId: "a" }],
  ["actions", { actionId: "x" }, "action", "x", {}],
  ["triggerActions", { flowType: "1", triggerType: "1", actionIds: ["x"] }, "action", "x", {}],
  ["oidcIdps", { idpId: "i" }, "org.idp.config", "org1", { idpConfigId: "i" }],
  ["jwtIdps", { idpId: "i" }, "org.idp.config", "org1", { idpConfigId: "i" }],
  ["userLinks", { idpId: "i", userId: "u" }, "org.idp.config", "org1", { idpConfigId: "i" }],
  ["domains", { domainName: "Example.com" }, "org.domain", "org1", { domain: "example.com" }],
  ["lockoutPolicy", undefined, "org.policy.lockout", "org1", {}],
  ["passwordComplexityPolicy", undefined, "org.policy.password.complexity", "org1", {}],
] as const)(
  "%s %j: gone after %s.removed by another account, and there after .added",
  (section, element, type, id, payload) => {
    const log = new ObjectRemovals();
    expect(log.of("org1", section, element)).toBeUndefined();
    log.take(event(`${type}.removed`, id, payload), true);
    expect(log.of("org1", section, element)).toBe("removed");
    log.take(event(`${type}.added`, id, payload), true);
    expect(log.of("org1", section, element)).toBeUndefined();
    expect(log.isEmpty).toBe(true);
    log.take(event(`${type}.removed`, id, payload), false);
    // The service does not create applications, their keys and actions again, also if the account of the job removed them.
    const isFinal = /^(action|project\.application.*)$/.test(type);
    expect(log.of("org1", section, element)).toBe(isFinal ? "removed" : undefined);
  },
);

test("a project grant comes again under another id, until one is added, if another account removed it", () => {
  const log = new ObjectRemovals();
  const take = (what: string, grantId: string, isByOther: boolean) =>
    log.take(event(`project.grant.${what}`, "p", { grantId, grantedOrgId: "org2" }), isByOther);
  const isAgain = (projectId = "p", grantedOrgId = "org2") => log.isGrantedAgain({ projectId, grantedOrgId });
  take("removed", "unknown", true);
  take("added", "g", true);
  expect(isAgain()).toBe(false);
  take("removed", "g", true);
  expect([isAgain(), isAgain("p", "org3"), isAgain("q")]).toEqual([true, false, false]);
  take("added", "g2", true);
  expect(isAgain()).toBe(false);
  take("removed", "g2", false);
  expect(isAgain()).toBe(false);
});

test("who was a member of a removed project grant can never be one again, also if the job removed it; others can", () => {
  const log = new ObjectRemovals();
  const of = (userId: string) => log.of("org1", "projectGrantMembers", { projectId: "p", grantId: "g", userId });
  const member = (type: string, userId: string) =>
    log.take(event(`project.grant.member.${type}`, "p", { grantId: "g", userId, roles: [] }), false);
  for (const userId of ["u", "former", "v"]) member("added", userId);
  member("removed", "former");
  log.take(event("project.grant.removed", "p", { grantId: "g" }), false);
  log.take(event("project.grant.added", "p", { grantId: "g" }), false);
  expect([of("u"), of("former"), of("v"), of("new")]).toEqual(["removed", undefined, "removed", undefined]);
  member("added", "v");
  expect(of("v")).toBeUndefined();
  expect(isHarmed(event("project.grant.removed", "p", { grantId: "g" }), false)).toBe(true);
  expect(isHarmed(event("project.role.removed", "p", { key: "r" }), false)).toBe(false);
});

test.each([
  ["projects", { projectId: "p" }],
  ["projectRoles", { projectId: "p", roleKey: "r" }],
  ["projectGrants", { grantId: "g", projectGrant: { projectId: "p" } }],
  ["oidcApps", { appId: "a", app: { projectId: "p" } }],
  ["apiApps", { appId: "a", app: { projectId: "p" } }],
  ["appKeys", { id: "k", projectId: "p" }],
  ["projectMembers", { projectId: "p" }],
  ["projectGrantMembers", { projectId: "p" }],
  ["userGrants", { projectId: "p" }],
])(
  "of a deleted project, %s stay away, also if an import has made an empty project of it since",
  (section, element) => {
    const log = new ObjectRemovals();
    log.take(event("project.removed", "p"), false);
    log.take(event("project.added", "p"), true);
    expect(log.of("org1", section, element)).toBe("removed");
  },
);

test("a provider that was removed by the newer call is gone, too", () => {
  const log = new ObjectRemovals();
  log.take(event("org.idp.removed", "org1", { id: "i" }), true);
  expect(log.of("org1", "oidcIdps", { idpId: "i" })).toBe("removed");
});

test("a text belongs to the account that set it last, and is gone with its template", () => {
  const log = new ObjectRemovals();
  const text = { language: "en", template: "Login" };
  log.take(event("org.customtext.set", "org1", { ...text, key: "Title" }), true);
  expect(log.of("org1", "loginTexts", { language: "en" })).toBe("changed");
  expect(log.of("org1", "loginTexts", { language: "de" })).toBeUndefined();
  log.take(event("org.customtext.set", "org1", { ...text, key: "Title" }), false);
  expect(log.of("org1", "loginTexts", { language: "en" })).toBeUndefined();
  log.take(event("org.customtext.removed", "org1", { ...text, key: "Title" }), true);
  expect(log.of("org1", "loginTexts", { language: "en" })).toBe("changed");
  log.take(event("org.customtext.template.removed", "org1", text), true);
  expect(log.of("org1", "loginTexts", { language: "en" })).toBe("removed");
});

test("a trigger that another account set is kept if the input has other actions", () => {
  const log = new ObjectRemovals();
  const trigger = { flowType: "1", triggerType: "3", actionIds: ["a"] };
  log.take(event("org.flow.trigger_actions.set", "org1", { flowType: 1, triggerType: 3, actionIDs: null }), true);
  expect(log.of("org1", "triggerActions", trigger)).toBe("removed");
  expect(log.of("org2", "triggerActions", trigger)).toBeUndefined();
  log.take(event("org.flow.trigger_actions.set", "org1", { flowType: 1, triggerType: 3, actionIDs: ["a"] }), true);
  expect(log.of("org1", "triggerActions", trigger)).toBeUndefined();
});

test("a flow that another account cleared stays so, until a trigger is set again", () => {
  const log = new ObjectRemovals();
  const trigger = { flowType: "1", triggerType: "3", actionIds: ["a"] };
  const set = event("org.flow.trigger_actions.set", "org1", { flowType: 1, triggerType: 3, actionIDs: ["a"] });
  log.take(set, false);
  log.take(event("org.flow.cleared", "org1", { flowType: 1 }), true);
  expect(log.of("org1", "triggerActions", trigger)).toBe("removed");
  expect(log.of("org1", "triggerActions", { ...trigger, flowType: "2" })).toBeUndefined();
  log.take(set, false);
  expect(log.of("org1", "triggerActions", trigger)).toBeUndefined();
  log.take(event("org.flow.cleared", "org1", { flowType: 1 }), false);
  expect(log.of("org1", "triggerActions", trigger)).toBeUndefined();
});

test("one search takes the types of all events, and each policy and text has a name", () => {
  for (const types of objectEvents) expect(types.length).toBeLessThanOrEqual(MOST_EVENT_TYPES);
  for (const { member } of [...policyKinds, ...textKinds]) expect(mayBeRemoved(member), member).toBe(true);
});
