import type { WalkedObject } from "../../core/document/object-walk.ts";
import { fieldsOf, member, memberAt, textMember } from "../../core/json/members.ts";
import { printableJson } from "../../problem/format.ts";

// Lists of what an export has, for other tools and for people.

/** A machine user, whose tokens, and the private parts of whose keys, are in no export. */
export interface ServiceUser {
  readonly orgId: string;
  readonly userId: string;
  readonly userName: string;
  readonly name: string;
}

/** The machine user of an element; undefined: it is none. */
export function serviceUserOf({ section, value }: WalkedObject, orgId: string): ServiceUser | undefined {
  if (section !== "machineUsers") return undefined;
  const fields = fieldsOf(value);
  const user = fieldsOf(member(fields, "user"));
  const userId = textMember(fields, "userId") || textMember(user, "userId");
  return { orgId, userId, userName: textMember(user, "userName"), name: textMember(user, "name") };
}

/** An object as ZITADEL's Terraform provider names it: the type of the resource, and the id by which it is imported. */
export interface TerraformObject {
  readonly type: string;
  readonly id: string;
}

type Parts = readonly (string | undefined)[];

/** The ids of the provider by sections (its documentation: "The resource can be imported using the ID format …"), and their resources. */
const resources: Readonly<Record<string, readonly [type: string, id: (element: unknown, orgId: string) => Parts]>> = {
  org: ["zitadel_org", (_, org) => [org]],
  projects: ["zitadel_project", (one, org) => [at(one, "projectId"), org]],
  projectRoles: ["zitadel_project_role", (one, org) => [at(one, "projectId"), at(one, "roleKey"), org]],
  oidcApps: ["zitadel_application_oidc", (one, org) => [at(one, "appId"), at(one, "app", "projectId"), org]],
  apiApps: ["zitadel_application_api", (one, org) => [at(one, "appId"), at(one, "app", "projectId"), org]],
  humanUsers: ["zitadel_human_user", (one, org) => [at(one, "userId"), org]],
  // Whether it has a client secret, no export tells.
  machineUsers: ["zitadel_machine_user", (one, org) => [at(one, "userId") ?? at(one, "user", "userId"), "false", org]],
  actions: ["zitadel_action", (one, org) => [at(one, "actionId"), org]],
  projectGrants: [
    "zitadel_project_grant",
    (one, org) => [at(one, "grantId"), at(one, "projectGrant", "projectId"), org],
  ],
  orgMembers: ["zitadel_org_member", (one, org) => [at(one, "userId"), org]],
  projectMembers: ["zitadel_project_member", (one, org) => [at(one, "projectId"), at(one, "userId"), org]],
  projectGrantMembers: [
    "zitadel_project_grant_member",
    (one, org) => [at(one, "projectId"), at(one, "grantId"), at(one, "userId"), org],
  ],
  oidcIdps: ["zitadel_org_idp_oidc", (one, org) => [at(one, "idpId"), org]],
  jwtIdps: ["zitadel_org_idp_jwt", (one, org) => [at(one, "idpId"), org]],
  domains: ["zitadel_domain", (one, org) => [at(one, "domainName"), org]],
  domainPolicy: ["zitadel_domain_policy", (_, org) => [org]],
  labelPolicy: ["zitadel_label_policy", (_, org) => [org]],
  lockoutPolicy: ["zitadel_lockout_policy", (_, org) => [org]],
  loginPolicy: ["zitadel_login_policy", (_, org) => [org]],
  passwordComplexityPolicy: ["zitadel_password_complexity_policy", (_, org) => [org]],
  privacyPolicy: ["zitadel_privacy_policy", (_, org) => [org]],
};

/** The sections that `terraformOf` knows. */
export const terraformSections: ReadonlySet<string> = new Set(Object.keys(resources));

/** The objects of a section as Terraform imports them. Objects without an id have none; policies of the instance are not the organization's. */
export function terraformOf({ section, value }: WalkedObject, orgId: string): readonly TerraformObject[] {
  const resource = resources[section];
  if (resource === undefined) return [];
  const [type, idOf] = resource;
  return (Array.isArray(value) ? value : [value]).flatMap((element) => {
    if (member(fieldsOf(element), "isDefault") === true) return [];
    const parts = idOf(element, orgId);
    if (parts.some((part) => part === undefined || part === "")) return [];
    return [{ type, id: parts.map((part) => (part ?? "").replaceAll(":", COLON)).join(":") }];
  });
}

/** The provider's word for a colon inside a part of an id. */
const COLON = "__SEMICOLON__";

function at(element: unknown, ...path: readonly string[]): string | undefined {
  const value = memberAt(element, path);
  return typeof value === "string" ? value : undefined;
}

/** An `import` block. @param names that are in use; the new one is added. */
export function importBlock({ type, id }: TerraformObject, names: Set<string>): string {
  const plain = `_${id.replace(/[^A-Za-z0-9_-]/g, "_")}`;
  let name = plain;
  for (let number = 2; names.has(`${type}.${name}`); number += 1) name = `${plain}_${number}`;
  names.add(`${type}.${name}`);
  return `import {\n  to = ${type}.${name}\n  id = ${quoted(id)}\n}\n`;
}

/** A string of HCL. */
function quoted(text: string): string {
  return printableJson(text)
    .replaceAll("${", () => "$${")
    .replaceAll("%{", () => "%%{");
}
