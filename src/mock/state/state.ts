import type { SkippingList } from "../api.ts";
import { type JsonObject, type JsonValue, textAt } from "../http/json.ts";
import { createEventLog, type EventLog, type LoggedEvent } from "./event-log.ts";
import { linkKey, ownerKey, uniqueName } from "./keys.ts";

/** One organization. A setting or an entry that changes is replaced, so that events can hold the former one. */
export interface Org {
  readonly id: string;
  readonly name: string;
  readonly settings: Map<string, JsonValue>;
  readonly lists: Map<string, Map<string, JsonObject>>;
}

/** All that an instance holds. `applyChange` alone changes it, so that recorded changes can be replayed. */
export interface State {
  /** The id of the instance and of its default organization. */
  instance: { readonly id: string; readonly defaultOrgId: string } | undefined;
  readonly orgs: Map<string, Org>;
  /** Deleted organizations, with users recreated in them since (service behaviour 0.11). */
  readonly removedOrgs: Map<string, Org>;
  /** Organization by name, in lower case: a name is unique in an instance (service behaviour 0.5). */
  readonly orgNames: Map<string, string>;
  /** Organization of every human and machine user, also of users that were deleted with their organization. */
  readonly userOrgs: Map<string, string>;
  /** User id by unique name. */
  readonly userNames: Map<string, string>;
  /** Organization of every deleted user. The id may be used again, and the user is then recreated there (service behaviour 0.11). */
  readonly removedUsers: Map<string, string>;
  /** What a list has skipped of users (service behaviour 0.41). */
  readonly skipped: Map<string, SkippingList>;
  /** Organization by the objects that are unique in the instance: ids of projects, applications, …, verified domains, links. */
  readonly owners: Map<string, string>;
  readonly events: EventLog;
}

export type UserField = "humanUsers" | "machineUsers";

export type Change =
  | { readonly do: "instance"; readonly id: string; readonly defaultOrgId: string }
  | { readonly do: "org"; readonly id: string; readonly name: string }
  /** null removes the setting. */
  | { readonly do: "setting"; readonly org: string; readonly field: string; readonly value: JsonValue }
  | {
      readonly do: "put";
      readonly org: string;
      readonly field: string;
      readonly key: string;
      readonly entry: JsonObject;
    }
  | { readonly do: "drop"; readonly org: string; readonly field: string; readonly key: string }
  | { readonly do: "claim"; readonly key: string; readonly org: string }
  | { readonly do: "release"; readonly key: string }
  | { readonly do: "event"; readonly event: LoggedEvent }
  | { readonly do: "remove-user"; readonly id: string }
  | { readonly do: "remove-org"; readonly id: string };

export function createState(): State {
  return {
    instance: undefined,
    orgs: new Map(),
    removedOrgs: new Map(),
    orgNames: new Map(),
    userOrgs: new Map(),
    userNames: new Map(),
    removedUsers: new Map(),
    skipped: new Map(),
    owners: new Map(),
    events: createEventLog(),
  };
}

export const userFields: readonly UserField[] = ["humanUsers", "machineUsers"];

/** Lists whose entries are deleted with their user, with the field that holds the user's id. */
const listsAboutUsers: Readonly<Record<string, "id" | "userId">> = {
  userMetadata: "id",
  userLinks: "userId",
  machineKeys: "userId",
  userGrants: "userId",
  orgMembers: "userId",
  projectMembers: "userId",
  projectGrantMembers: "userId",
  creators: "userId",
};

/** Applies one change. The caller has checked that its organization and user exist. */
export function applyChange(state: State, change: Change): void {
  switch (change.do) {
    case "instance":
      state.instance = { id: change.id, defaultOrgId: change.defaultOrgId };
      break;
    case "org":
      // Users who were created in it after its deletion stay (service behaviour 9.48).
      state.orgs.set(change.id, {
        ...{ id: change.id, name: change.name, settings: new Map() },
        lists: state.removedOrgs.get(change.id)?.lists ?? new Map(),
      });
      state.removedOrgs.delete(change.id);
      state.orgNames.set(change.name.toLowerCase(), change.id);
      break;
    case "setting":
      if (change.value === null) orgOf(state, change.org)?.settings.delete(change.field);
      else orgOf(state, change.org)?.settings.set(change.field, change.value);
      break;
    case "put":
      put(state, change);
      break;
    case "drop":
      orgOf(state, change.org)?.lists.get(change.field)?.delete(change.key);
      break;
    case "claim":
      state.owners.set(change.key, change.org);
      break;
    case "release":
      state.owners.delete(change.key);
      break;
    case "event":
      state.events.append(change.event);
      break;
    case "remove-user":
      removeUser(state, change.id);
      break;
    case "remove-org":
      removeOrg(state, change.id);
      break;
    default:
      change satisfies never;
  }
}

/** An organization by id, also a deleted one. */
export function orgOf({ orgs, removedOrgs }: State, id: string): Org | undefined {
  return orgs.get(id) ?? removedOrgs.get(id);
}

function put(state: State, { org: orgId, field, key, entry }: Change & { do: "put" }): void {
  const org = orgOf(state, orgId);
  if (org === undefined) return;
  const list = org.lists.get(field) ?? new Map<string, JsonObject>();
  org.lists.set(field, list);
  const isUser = userFields.some((users) => users === field);
  // A user that is written onto another one has the place of that one; the former name stays taken.
  if (isUser && !list.has(key))
    for (const users of userFields)
      orgOf(state, state.userOrgs.get(key) ?? "")
        ?.lists.get(users)
        ?.delete(key);
  const before = list.get(key);
  list.set(key, entry);
  if (!isUser) return;
  if (before !== undefined) state.userNames.delete(nameOf(org, before));
  state.userOrgs.set(key, orgId);
  state.userNames.set(nameOf(org, entry), key);
  state.removedUsers.delete(key);
}

/** The unique name of a human or machine user. */
function nameOf(org: Org, entry: JsonObject): string {
  return uniqueName(org, textAt(entry, "user", "userName"));
}

function removeUser(state: State, id: string): void {
  const org = orgOf(state, state.userOrgs.get(id) ?? "");
  if (org === undefined) return;
  // One who was deleted with the organization has no entry.
  state.userOrgs.delete(id);
  state.skipped.delete(id);
  state.removedUsers.set(id, org.id);
  for (const field of userFields) {
    const entry = org.lists.get(field)?.get(id);
    if (entry === undefined) continue;
    org.lists.get(field)?.delete(id);
    state.userNames.delete(nameOf(org, entry));
  }
  for (const { org: owner, field, key, entry } of [...entriesOfUser(state, id)]) {
    state.orgs.get(owner)?.lists.get(field)?.delete(key);
    if (field === "userLinks") state.owners.delete(linkKey(textAt(entry, "idpId"), textAt(entry, "providedUserId")));
  }
}

/** The entries of lists that are deleted with a user, in all organizations. */
export function* entriesOfUser(
  { orgs }: Pick<State, "orgs">,
  userId: string,
): Generator<{ readonly org: string; readonly field: string; readonly key: string; readonly entry: JsonObject }> {
  for (const { id: org, lists } of orgs.values())
    for (const [field, user] of Object.entries(listsAboutUsers))
      for (const [key, entry] of lists.get(field) ?? [])
        if (textAt(entry, user) === userId) yield { org, field, key, entry };
}

/** Its contents are deleted, its name and its user names are free again; the ids stay taken (service behaviour 0.11). */
function removeOrg(state: State, id: string): void {
  const org = state.orgs.get(id);
  if (org === undefined) return;
  state.orgs.delete(id);
  state.removedOrgs.set(id, { ...org, settings: new Map(), lists: new Map() });
  state.orgNames.delete(org.name.toLowerCase());
  // Its domains and links are free for others; the ids of its projects and other objects are not.
  const domains = ownerKey("verifiedDomains", "");
  for (const [key, owner] of state.owners) if (owner === id && key.startsWith(domains)) state.owners.delete(key);
  for (const link of org.lists.get("userLinks")?.values() ?? [])
    state.owners.delete(linkKey(textAt(link, "idpId"), textAt(link, "providedUserId")));
  for (const field of userFields) {
    for (const entry of org.lists.get(field)?.values() ?? []) state.userNames.delete(nameOf(org, entry));
  }
  // No list has grants in its projects, and no event says that they went (service behaviour 9.44).
  const projects = org.lists.get("projects");
  for (const { lists } of state.orgs.values())
    for (const [key, entry] of lists.get("userGrants") ?? [])
      if (projects?.has(textAt(entry, "projectId")) === true) lists.get("userGrants")?.delete(key);
}
