import { hasUser } from "../state/lookup.ts";
import type { Store } from "../state/store.ts";
import { userEvent } from "./human-events.ts";

/** Removes a user, as the service does: an event stays, and the id may be used again (service behaviour 0.11). */
export function removeUser(store: Store, userId: string, editor: string): void {
  const orgId = store.state.userOrgs.get(userId);
  if (orgId === undefined || !hasUser(store.state, userId)) return;
  store.change({ do: "remove-user", id: userId });
  store.push([userEvent({ userId, orgId, editor }, "user.removed")]);
  store.commit();
}

/** Removes an organization; what was in it is gone, and no id of it can be used again (service behaviour 0.11). */
export function removeOrg(store: Store, orgId: string, editor: string): void {
  if (!store.state.orgs.has(orgId)) return;
  store.change({ do: "remove-org", id: orgId });
  store.push([{ type: "org.removed", aggregateType: "org", aggregateId: orgId, orgId, editor }]);
  store.commit();
}
