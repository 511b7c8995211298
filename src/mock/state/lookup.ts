import type { JsonObject } from "../http/json.ts";
import { ownerKey } from "./keys.ts";
import { type Org, orgOf, type State, type UserField, userFields } from "./state.ts";

/** The stored entry of a human or machine user that is there now, and where it is. */
export function storedUser(state: State, id: string): StoredUser | undefined {
  const org = orgOf(state, state.userOrgs.get(id) ?? "");
  if (org === undefined) return undefined;
  for (const field of userFields) {
    const entry = org.lists.get(field)?.get(id);
    if (entry !== undefined) return { id, org, field, entry: entry };
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

/** Whether a human or machine user is there now. */
export function hasUser(state: State, id: string): boolean {
  const lists = orgOf(state, state.userOrgs.get(id) ?? "")?.lists;
  return userFields.some((field) => lists?.get(field)?.has(id) === true);
}

export interface StoredUser {
  readonly id: string;
  readonly org: Org;
  readonly field: UserField;
  readonly entry: JsonObject;
}

/** Whether something unique in the instance is there, in any organization that was not removed. */
export function owned(state: State, kind: string, id: string): boolean {
  return state.orgs.has(state.owners.get(ownerKey(kind, id)) ?? "");
}
