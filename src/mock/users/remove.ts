import { Refusal } from "../http/answer.ts";
import { formerKey } from "../state/keys.ts";
import { hasUser } from "../state/lookup.ts";
import { entriesOfUser } from "../state/state.ts";
import type { NewEvent, Store } from "../state/store.ts";
import { belongingEvents } from "./belonging-events.ts";
import { userEvent } from "./human-events.ts";

/** Memberships of projects stand in the way of those of a recreated user (service behaviour 9.14). */
const LASTING: ReadonlySet<string> = new Set(["projectMembers", "projectGrantMembers"]);
const MEMBERSHIPS = ["userGrants", "orgMembers", ...LASTING];

/** Returns the id of a user. Raises Refusal. */
export function existingUser({ state }: Store, userId: string): string {
  if (hasUser(state, userId)) return userId;
  throw new Refusal("notFound", `the mock has no user with the id "${userId}"`);
}

/** Returns the id of an organization. Raises Refusal. */
export function existingOrg({ state }: Store, orgId: string): string {
  if (state.orgs.has(orgId)) return orgId;
  throw new Refusal("notFound", `the mock has no organization with the id "${orgId}"`);
}

/**
 * Deletes a user as the service does: its events stay, and the id may be used again (service behaviour 0.11), also one who was deleted with
 * the organization (9.48). The grants of a user without a login name are in no list of the user's: they stay, too (9.25).
 */
export function removeUser(store: Store, userId: string, editor: string, isNameless = false): void {
  const orgId = store.state.userOrgs.get(userId);
  if (orgId === undefined) return;
  const left = [...entriesOfUser(store.state, userId)].filter(({ field }) => Object.hasOwn(belongingEvents, field));
  const isKept = (field: string): boolean => field === "userGrants" && isNameless;
  store.change({ do: "remove-user", id: userId });
  for (const { org, field, key } of left)
    if (LASTING.has(field) || isKept(field)) store.change({ do: "claim", key: formerKey(org, field, key), org });
  const cascades = left.flatMap(({ org, field, entry }): NewEvent[] => {
    const added = belongingEvents[field]?.(entry, org);
    if (added === undefined || isKept(field)) return [];
    return [{ ...added, type: added.type.replace(/\.added$/, ".cascade.removed"), orgId: org, editor }];
  });
  store.push([userEvent({ userId, orgId, editor }, "user.removed"), ...cascades]);
  store.commit();
}

/** Deletes an organization with its contents, whose ids cannot be used again, nor its policies and memberships (service behaviour 0.11, 9.48). */
export function removeOrg(store: Store, orgId: string, editor: string): void {
  const org = store.state.orgs.get(orgId);
  if (org === undefined) return;
  const claim = (field: string, key?: string): void =>
    store.change({ do: "claim", key: formerKey(orgId, field, key), org: orgId });
  for (const field of [...org.settings.keys()]) claim(field);
  for (const field of MEMBERSHIPS) for (const key of [...(org.lists.get(field)?.keys() ?? [])]) claim(field, key);
  store.change({ do: "remove-org", id: orgId });
  store.push([{ type: "org.removed", aggregateType: "org", aggregateId: orgId, orgId, editor }]);
  store.commit();
}
