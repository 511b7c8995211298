import { policyKinds } from "../../document/listed-org.ts";
import { elementId } from "../../document/org-sections.ts";
import { type Fields, fieldsOf, member, snakeKey, textMember, textsMember } from "../../json/members.ts";

/** What the service calls the elements of a list, and how it names one of them. */
export interface ElementType {
  /** In its errors (service behaviour 2.2). */
  readonly type: string;
  /** The list of its answer that names what was made (service behaviour 1.6). */
  readonly successList: string;
  /** The key of an element as it was sent: what its errors and successes have in common. */
  readonly keyOf: (element: Fields) => string;
  /** The key of an entry of the list of successes. */
  readonly successKey: (entry: unknown) => string;
  /** The id in its errors. */
  readonly errorId: (key: string, orgId: string) => string;
}

/** By the section of an organization (camelCase). The head's lists that are answered one by one are among them. */
export const elementTypes: Readonly<Record<string, ElementType>> = {
  humanUsers: byId("human_user", "humanUserIds", "humanUsers"),
  machineUsers: byId("machine_user", "machineUserIds", "machineUsers"),
  userMetadata: byFields("user_metadata", "userMetadata", ["id", "key"], plain, ["userId", "key"]),
  machineKeys: byId("machine_user_key", "machineKeys", "machineKeys"),
  // A user may have several identities of one provider: the answer names the identity, and an error does not (service behaviour 9.34).
  userLinks: {
    type: "user_link",
    successList: "userLinks",
    keyOf: (element) => linkKey(element, "providedUserId"),
    successKey: (entry) => linkKey(fieldsOf(entry), "externalUserId"),
    errorId: (key) => key.slice(0, key.indexOf(BEFORE_IDENTITY)),
  },
  projects: byId("project", "projectIds", "projects"),
  actions: byId("action", "actionIds", "actions"),
  oidcApps: byId("oidc_app", "oidcAppIds", "oidcApps"),
  apiApps: byId("api_app", "apiAppIds", "apiApps"),
  projectRoles: byId("project_role", "projectRoles", "projectRoles"),
  appKeys: byId("app_key", "appKeys", "appKeys"),
  triggerActions: byFields("trigger_action", "triggerActions", ["flowType", "triggerType"], plain),
  projectGrants: {
    type: "project_grant",
    successList: "projectGrants",
    keyOf: (element) => {
      const grant = fieldsOf(member(element, "projectGrant"));
      return joined(member(grant, "projectId"), member(grant, "grantedOrgId"));
    },
    successKey: (entry) => joined(fieldsOf(entry)["projectId"], fieldsOf(entry)["orgId"]),
    errorId: ofOrg,
  },
  userGrants: byFields("user_grant", "userGrants", ["projectId", "userId"], ofOrg),
  orgMembers: { ...byId("org_member", "orgMembers", "orgMembers"), errorId: ofOrg },
  projectMembers: byFields("project_member", "projectMembers", ["projectId", "userId"], ofOrg),
  projectGrantMembers: byFields(
    "project_grant_member",
    "projectGrantMembers",
    ["projectId", "grantId", "userId"],
    ofOrg,
  ),
  domains: { ...byFields("domain", "domains", ["domainName"], ofOrg), successKey: String },
  oidcIdps: { ...byFields("oidc_idp", "oidcIpds", ["idpId"], plain), successKey: String }, // the service's own spelling
  jwtIdps: { ...byFields("jwt_idp", "jwtIdps", ["idpId"], plain), successKey: String },
};

/** What the service calls the elements of a list, or a policy; undefined for other members of an organization. */
export function typeOfSection(section: string): string | undefined {
  if (Object.hasOwn(elementTypes, section)) return elementTypes[section]?.type;
  return policyKinds.some(({ member: name }) => name === section) ? snakeKey(section) : undefined;
}

/** No id has it. */
const BEFORE_IDENTITY = "\u0000";

function linkKey(link: Fields, identity: "providedUserId" | "externalUserId"): string {
  return `${joined(member(link, "userId"), member(link, "idpId"))}${BEFORE_IDENTITY}${joined(member(link, identity))}`;
}

/** Named by one id, which the list of successes holds as a text. */
function byId(type: string, successList: string, section: string): ElementType {
  return {
    type,
    successList,
    keyOf: (element) => elementId(section, element) ?? "",
    successKey: String,
    errorId: plain,
  };
}

/** Named by several fields, which an entry of the list of successes has as well, under these names. */
function byFields(
  type: string,
  successList: string,
  fields: readonly string[],
  errorId: ElementType["errorId"],
  successFields = fields,
): ElementType {
  return {
    type,
    successList,
    keyOf: (element) => joined(...fields.map((name) => member(element, name))),
    successKey: (entry) => joined(...successFields.map((name) => fieldsOf(entry)[name])),
    errorId,
  };
}

function plain(key: string): string {
  return key;
}

function ofOrg(key: string, orgId: string): string {
  return `${orgId}_${key}`;
}

function joined(...parts: readonly unknown[]): string {
  return parts.map((part) => (part === undefined || part === null ? "" : String(part))).join("_");
}

/** The user and the roles of a role grant, and the service user of a key, an element of this type: the service names none of these. */
export function ownerIn(
  type: string,
  bytes: Buffer,
): { readonly userId?: string; readonly roleKeys?: readonly string[] } {
  const isGrant = type === "user_grant";
  if (!isGrant && type !== "machine_user_key") return {};
  const element = fieldsOf(JSON.parse(bytes.toString()));
  return { userId: textMember(element, "userId"), ...(isGrant ? { roleKeys: textsMember(element, "roleKeys") } : {}) };
}
