import { expect, test } from "vitest";
import { settingFault, shapeFault } from "../../../../src/core/rules/shape.ts";

/** Every list whose elements hold an inner object: without it the service's process ends (service behaviour 0.1). */
const contents = {
  humanUsers: ["user", "user"],
  machineUsers: ["user", "user"],
  projects: ["project", "project"],
  oidcApps: ["app", "app"],
  apiApps: ["app", "app"],
  projectGrants: ["projectGrant", "project_grant"],
  actions: ["action", "action"],
  oidcIdps: ["idp", "idp"],
  jwtIdps: ["idp", "idp"],
} as const;

test.each(Object.entries(contents))("an entry of %s without its inner object is refused", (list, [field, snake]) => {
  const refused = { code: "element.no-content", list, field };
  for (const element of [{}, { id: "x" }, { [field]: null }, { [field]: "text" }, { [field]: [] }, { [field]: 1 }]) {
    expect(shapeFault(list, element)).toEqual(refused);
  }
  expect(shapeFault(list, { [field.toUpperCase()]: {} })).toEqual(refused);
  for (const element of [{ [field]: {} }, { [snake]: {} }, { [field]: null, [snake]: { name: "x" } }]) {
    if (Object.values(element).some((value) => value !== null)) expect(shapeFault(list, element)).toBeUndefined();
  }
});

test.each(["projects", "humanUsers", "userGrants", "loginTexts", "domains", "listsOfLaterVersions"])(
  "%s holds nothing but objects",
  (list) => {
    for (const element of [null, "text", 1, true, [], [{}]]) {
      expect(shapeFault(list, element)).toEqual({ code: "element.not-object", list });
    }
  },
);

test("a setting is an object or not there", () => {
  expect(settingFault("loginPolicy", [])).toEqual({ code: "element.not-object", list: "loginPolicy" });
  expect(settingFault("org", "Acme")).toEqual({ code: "element.not-object", list: "org" });
  expect(settingFault("loginPolicy", {})).toBeUndefined();
  expect(settingFault("loginPolicy", null)).toBeUndefined();
  expect(settingFault("orgState", "ORG_STATE_ACTIVE")).toBeUndefined();
});
