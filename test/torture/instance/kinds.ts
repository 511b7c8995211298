import { at, list, text } from "./json.ts";

/** A kind of object besides organizations and human users: its list in a body or an export, and its type in a report. */
export interface Kind {
  readonly list: string;
  readonly type: string;
  /** Identifies an element; the same for the element of an input and of an export. */
  readonly key: (entry: unknown, orgId: string) => string;
}

const joined = (entry: unknown, ...names: readonly string[]): string =>
  names.map((name) => text(entry, name)).join("_");
const byId = (name: string) => (entry: unknown) => text(entry, name);
const inOrg =
  (...names: readonly string[]) =>
  (entry: unknown, orgId: string) =>
    `${orgId}_${joined(entry, ...names)}`;

/** The names are those of the service (service behaviour 1.6, 2.1), not of the program under test. */
export const kinds: readonly Kind[] = [
  { list: "domains", type: "domain", key: inOrg("domainName") },
  { list: "oidcIdps", type: "oidc_idp", key: byId("idpId") },
  { list: "machineUsers", type: "machine_user", key: byId("userId") },
  { list: "userMetadata", type: "user_metadata", key: (entry) => joined(entry, "id", "key") },
  { list: "machineKeys", type: "machine_user_key", key: byId("keyId") },
  { list: "userLinks", type: "user_link", key: (entry) => joined(entry, "userId", "idpId", "providedUserId") },
  { list: "projects", type: "project", key: byId("projectId") },
  { list: "oidcApps", type: "oidc_app", key: byId("appId") },
  { list: "apiApps", type: "api_app", key: byId("appId") },
  { list: "appKeys", type: "app_key", key: byId("id") },
  { list: "actions", type: "action", key: byId("actionId") },
  { list: "projectRoles", type: "project_role", key: (entry) => joined(entry, "projectId", "roleKey") },
  { list: "triggerActions", type: "trigger_action", key: inOrg("flowType", "triggerType") },
  { list: "projectGrants", type: "project_grant", key: byId("grantId") },
  { list: "userGrants", type: "user_grant", key: inOrg("projectId", "projectGrantId", "userId") },
  { list: "orgMembers", type: "org_member", key: inOrg("userId") },
  { list: "projectGrantMembers", type: "project_grant_member", key: inOrg("projectId", "grantId", "userId") },
  { list: "projectMembers", type: "project_member", key: inOrg("projectId", "userId") },
];

/** `<type> <key>` of each object of a kind in an organization of a body or an export. */
export function objectsIn(org: unknown): string[] {
  const orgId = text(org, "orgId");
  return kinds.flatMap(({ list: name, type, key }) =>
    list(at(org, name)).map((entry) => `${type} ${key(entry, orgId)}`),
  );
}
