import { parseStored, textAt, valueAt } from "../protojson/json-value.ts";
import { createEntryList, createTextHeap, type EntryList, type TextHeap } from "./entry-list.ts";
import { createEventLog, type EventLog, type LoggedEvent } from "./event-log.ts";

/** One organization: settings and the entries of its lists as JSON texts, so that a million users stay small. */
export interface Org {
  readonly id: string;
  readonly name: string;
  readonly settings: Map<string, string>;
  readonly lists: Map<string, EntryList>;
}

/** A removed user: its id may be taken again, and then goes back to the old organization (service behaviour 2.3). */
export interface RemovedUser {
  readonly orgId: string;
  readonly entry: string;
}

/** All an instance holds. Changed by `applyChange` only, so that what is written down can be replayed. */
export interface State {
  readonly orgs: Map<string, Org>;
  /** Ids of organizations that were removed: they cannot be used again. */
  readonly removedOrgs: Set<string>;
  /** Organization of every human and machine user, also of those that went away with their organization. */
  readonly userOrgs: Map<string, string>;
  /** User id by unique name. */
  readonly userNames: Map<string, string>;
  readonly removedUsers: Map<string, RemovedUser>;
  /** Organization by what is unique in the whole instance: ids of projects, applications, …, verified domains. */
  readonly owners: Map<string, string>;
  readonly events: EventLog;
  /** Where the entries of all lists are kept. */
  readonly texts: TextHeap;
}

export type Change =
  | { readonly do: "org"; readonly id: string; readonly name: string }
  | { readonly do: "setting"; readonly org: string; readonly field: string; readonly value: string }
  | {
      readonly do: "put";
      readonly org: string;
      readonly field: string;
      readonly key: string;
      readonly entry: string;
      /** Of a human or machine user: its user name. */
      readonly userName?: string;
    }
  | { readonly do: "claim"; readonly key: string; readonly org: string }
  | { readonly do: "event"; readonly event: LoggedEvent }
  | { readonly do: "remove-user"; readonly id: string }
  | { readonly do: "remove-org"; readonly id: string };

export function createState(): State {
  return {
    orgs: new Map(),
    removedOrgs: new Set(),
    userOrgs: new Map(),
    userNames: new Map(),
    removedUsers: new Map(),
    owners: new Map(),
    events: createEventLog(),
    texts: createTextHeap(),
  };
}

const userFields = ["humanUsers", "machineUsers"] as const;

/** Makes one change. Changes name organizations and users that exist: who makes them has looked. */
export function applyChange(state: State, change: Change): void {
  switch (change.do) {
    case "org":
      state.orgs.set(change.id, { id: change.id, name: change.name, settings: new Map(), lists: new Map() });
      break;
    case "setting":
      state.orgs.get(change.org)?.settings.set(change.field, change.value);
      break;
    case "put":
      put(state, change);
      break;
    case "claim":
      state.owners.set(change.key, change.org);
      break;
    case "event":
      state.events.append(change.event);
      break;
    case "remove-user":
      removeUser(state, change.id);
      break;
    case "remove-org":
      state.orgs.delete(change.id);
      state.removedOrgs.add(change.id);
      break;
    default:
      change satisfies never;
  }
}

function put(state: State, { org: orgId, field, key, entry, userName }: Change & { do: "put" }): void {
  const org = state.orgs.get(orgId);
  if (org === undefined) return;
  const list = org.lists.get(field) ?? createEntryList(state.texts);
  org.lists.set(field, list);
  list.set(key, entry);
  if (userName === undefined) return;
  state.userOrgs.set(key, orgId);
  state.userNames.set(uniqueName(org, userName), key);
  state.removedUsers.delete(key);
}

function removeUser(state: State, id: string): void {
  const orgId = state.userOrgs.get(id);
  const org = orgId === undefined ? undefined : state.orgs.get(orgId);
  for (const field of userFields) {
    const entry = org?.lists.get(field)?.get(id);
    if (org === undefined || entry === undefined) continue;
    org.lists.get(field)?.delete(id);
    state.userOrgs.delete(id);
    state.userNames.delete(uniqueName(org, textAt(parseStored(entry), "user", "userName")));
    state.removedUsers.set(id, { orgId: org.id, entry });
  }
}

/** Key of `owners` for one object of a kind. */
export function ownerKey(kind: string, id: string): string {
  return `${kind}/${id}`;
}

/**
 * What must be unique about a user name: upper and lower case are the same, and it is unique in the instance, or in the
 * organization where login names end in its domain (service behaviour 2.2, unique constraint).
 */
export function uniqueName(org: Org, userName: string): string {
  return userLoginMustBeDomain(org) ? `${userName.toLowerCase()}/${org.id}` : userName.toLowerCase();
}

export function userLoginMustBeDomain(org: Org): boolean {
  const policy = org.settings.get("domainPolicy");
  return policy !== undefined && valueAt(parseStored(policy), "userLoginMustBeDomain") === true;
}

/** The stored entry of a human or machine user that is there now. */
export function storedUser(state: State, id: string): string | undefined {
  const org = state.orgs.get(state.userOrgs.get(id) ?? "");
  return org?.lists.get("humanUsers")?.get(id) ?? org?.lists.get("machineUsers")?.get(id);
}

/** Whether something unique in the instance is there, in any organization that was not removed. */
export function owned(state: State, kind: string, id: string): boolean {
  return state.orgs.has(state.owners.get(ownerKey(kind, id)) ?? "");
}
