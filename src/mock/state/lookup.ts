import type { JsonObject } from "../http/json.ts";
import { ownerKey } from "./keys.ts";
import { type Org, orgOf, type State, type UserField, userFields } from "./state.ts";

/** A human or machine user that exists, with its organization and list. */
export function storedUser(state: State, id: string): StoredUser | undefined {
  const org = orgOf(state, state.userOrgs.get(id) ?? "");
  if (org === undefined) return undefined;
  for (const field of userFields) {
    const entry = org.lists.get(field)?.get(id);
    if (entry !== undefined) return { id, org, field, entry };
  }
  return undefined;
}

/** All human and machine users that exist, organization by organization. */
export function storedUsers({ orgs, removedOrgs }: State): StoredUser[] {
  const users: StoredUser[] = [];
  for (const org of [...orgs.values(), ...removedOrgs.values()]) {
    for (const field of userFields) {
      for (const [id, entry] of org.lists.get(field) ?? []) users.push({ id, org, field, entry });
    }
  }
  return users;
}

/** Whether a human or machine user exists. */
export function hasUser(state: State, id: string): boolean {
  return storedUser(state, id) !== undefined;
}

export interface StoredUser {
  readonly id: string;
  readonly org: Org;
  readonly field: UserField;
  readonly entry: JsonObject;
}

/** The organization of an object that is unique in the instance; undefined for no such object, or in a deleted organization. */
export function ownerOf(state: State, kind: string, id: string): Org | undefined {
  return state.orgs.get(state.owners.get(ownerKey(kind, id)) ?? "");
}
