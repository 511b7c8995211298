import { hasUser } from "../state/lookup.ts";
import type { Store } from "../state/store.ts";
import { userEvent } from "./human-events.ts";

/** Deletes a user as the service does: its events stay, and the id may be used again (service behaviour 0.11). */
export function removeUser(store: Store, userId: string, editor: string): void {
  const orgId = store.state.userOrgs.get(userId);
  if (orgId === undefined || !hasUser(store.state, userId)) return;
  store.change({ do: "remove-user", id: userId });
  store.push([userEvent({ userId, orgId, editor }, "user.removed")]);
  store.commit();
}

/** Deletes an organization with its contents, whose ids cannot be used again (service behaviour 0.11). */
export function removeOrg(store: Store, orgId: string, editor: string): void {
  if (!store.state.orgs.has(orgId)) return;
  store.change({ do: "remove-org", id: orgId });
  store.push([{ type: "org.removed", aggregateType: "org", aggregateId: orgId, orgId, editor }]);
  store.commit();
}
