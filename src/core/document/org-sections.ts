import { camelKey, rolesMember } from "../../contract/import-request.ts";
import { fieldsOf, member, textMember, textsMember } from "../json/members.ts";

/**
 * The lists of an organization that can be sent apart from it, and when: a list goes after everything it refers to, of all
 * organizations (service behaviour 2.1). What is not here — settings, domains, texts, identity providers — is the head of the
 * organization and goes with its first users.
 */
const sectionSteps: Readonly<Record<string, number>> = {
  humanUsers: 1,
  machineUsers: 1,
  userMetadata: 2,
  machineKeys: 2,
  userLinks: 2,
  projects: 2,
  actions: 2,
  oidcApps: 3,
  apiApps: 3,
  projectRoles: 3,
  appKeys: 4,
  triggerActions: 5,
  projectGrants: 5,
  userGrants: 6,
  orgMembers: 7,
  projectMembers: 7,
  projectGrantMembers: 7,
};

/** The key that stands for the head of an organization where a section's key is expected. */
export const HEAD = "(head)";
/** True for a member of a head that is a setting; `name` as in the document. */
export function isHeadSetting(name: string): boolean {
  return name !== "org" && camelKey(name) !== "orgId";
}

/** Steps up to this one are sent organization by organization; later ones step by step. */
export const USER_STEP = 1;

/** The step of a section (camelCase), 0 for the head and everything that belongs to it. */
export function stepOf(key: string): number {
  return Object.hasOwn(sectionSteps, key) ? (sectionSteps[key] as number) : 0;
}

/** Lists that a comparison by events has. */
export const comparedByEvents: ReadonlySet<string> = new Set(["humanUsers", "userMetadata"]);

/** The other lists of a document that are sent apart, and how many elements each has. */
export function otherLists(
  sections: readonly { readonly key: string; readonly count: number }[],
): ReadonlyMap<string, number> {
  const lists = new Map<string, number>();
  for (const { key, count } of sections)
    if (count > 0 && !comparedByEvents.has(key)) lists.set(key, (lists.get(key) ?? 0) + count);
  return lists;
}

/** Lists whose elements have an aggregate each in the event log; elements of other lists are events of one organization or project. */
const ownAggregates: ReadonlySet<string> = new Set([
  "humanUsers",
  "machineUsers",
  "userMetadata",
  "machineKeys",
  "userLinks",
  "userGrants",
]);

/** True if an element may be written while others of its list are being written. */
export function isOwnAggregate({ key }: { readonly key: string }): boolean {
  return ownAggregates.has(key);
}

/** The id by which the service names an element of a section in its errors (service behaviour 2.2); undefined if it has none. */
export function elementId(key: string, element: unknown): string | undefined {
  const parts = sectionIds[key];
  if (parts === undefined) return undefined;
  const fields = fieldsOf(element);
  const texts = parts.map((name) => member(fields, name));
  return texts.every((text) => typeof text === "string" && text !== "") ? texts.join("_") : undefined;
}

/** The same for a comparison: a user may have several accounts at one provider. */
export function comparedId(key: string, element: unknown): string | undefined {
  const id = elementId(key, element);
  return id === undefined || key !== "userLinks" ? id : `${id}_${String(member(fieldsOf(element), "providedUserId"))}`;
}

const sectionIds: Readonly<Record<string, readonly string[]>> = {
  humanUsers: ["userId"],
  machineUsers: ["userId"],
  userMetadata: ["id", "key"],
  machineKeys: ["keyId"],
  userLinks: ["userId", "idpId"],
  projects: ["projectId"],
  actions: ["actionId"],
  triggerActions: ["flowType", "triggerType"],
  oidcApps: ["appId"],
  apiApps: ["appId"],
  projectRoles: ["projectId", "roleKey"],
  appKeys: ["id"],
  projectGrants: ["grantId"],
  userGrants: ["projectId", "userId"],
  orgMembers: ["userId"],
  projectMembers: ["projectId", "userId"],
  projectGrantMembers: ["projectId", "grantId", "userId"],
};

/** Where the elements of a list have their id, and their name in an object. */
const namePlaces: Readonly<Record<string, readonly [id: string, holder: string, name: string]>> = {
  humanUsers: ["userId", "user", "userName"],
  machineUsers: ["userId", "user", "userName"],
  projects: ["projectId", "project", "name"],
  actions: ["actionId", "action", "name"],
  oidcApps: ["appId", "app", "name"],
  apiApps: ["appId", "app", "name"],
  oidcIdps: ["idpId", "idp", "name"],
  jwtIdps: ["idpId", "idp", "name"],
};

/** The id of an element and its name, "" for none; undefined for an element of a list without names. */
export function namedElement(
  key: string,
  element: unknown,
): { readonly id: string; readonly name: string } | undefined {
  const [idKey = "", holder = "", nameKey = ""] = (Object.hasOwn(namePlaces, key) && namePlaces[key]) || [];
  if (idKey === "") return undefined;
  const fields = fieldsOf(element);
  return { id: textMember(fields, idKey), name: textMember(fieldsOf(member(fields, holder)), nameKey) };
}

/** The lists whose elements belong to a user and are deleted with the user, and the member that names the user. */
export const ownedLists: Readonly<Record<string, string>> = {
  userMetadata: "id",
  machineKeys: "userId",
  userLinks: "userId",
  userGrants: "userId",
  orgMembers: "userId",
  projectMembers: "userId",
  projectGrantMembers: "userId",
};

/** Where a project grant belongs. */
export interface GrantPlaces {
  readonly projectId: string;
  /** The organization that has the grant. */
  readonly grantedOrgId: string;
}

/** Of a project grant; undefined for an element of another list. */
export function grantPlaces(key: string, element: unknown): GrantPlaces | undefined {
  if (key !== "projectGrants") return undefined;
  const grant = fieldsOf(member(fieldsOf(element), "projectGrant"));
  return { projectId: textMember(grant, "projectId"), grantedOrgId: textMember(grant, "grantedOrgId") };
}

/** The roles of a role grant or a membership; undefined for an element of another list. */
export function rolesIn(key: string, element: unknown): readonly string[] | undefined {
  const name = rolesMember(key);
  return name === undefined ? undefined : textsMember(fieldsOf(element), name);
}
