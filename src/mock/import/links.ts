import { type ServiceFault, taken } from "../http/answer.ts";
import { type JsonObject, textAt } from "../http/json.ts";
import type { Instance } from "../state/instance.ts";
import { linkKey } from "../state/keys.ts";
import { ownerOf } from "../state/lookup.ts";
import type { Store } from "../state/store.ts";
import { linkPayload, linksOfUser, userEvent } from "../users/human-events.ts";
import type { ImportContext } from "./import-context.ts";

/** The fault of a link to a provider that does not exist. */
export function linkFault(context: ImportContext, user: JsonObject): ServiceFault | undefined {
  if (linksOfUser("", user).every((link) => isProvider(context, textAt(link, "idpId")))) return undefined;
  const parent = "ID=COMMAND-as02jin Message=Errors.IDPConfig.NotExisting";
  return { id: "COMMAND-39nfs", key: "Errors.IDPConfig.NotExisting", parent };
}

/** Whether an identity provider exists. */
export function isProvider({ store, seed }: Pick<Instance, "store" | "seed">, id: string): boolean {
  const owner = ownerOf(store.state, "oidcIdps", id) ?? ownerOf(store.state, "jwtIdps", id);
  return owner !== undefined || seed.instanceIdpIds.includes(id);
}

/** Whether a user has the identity of a link. */
export function isTaken({ state }: Store, link: JsonObject): boolean {
  return state.owners.has(linkKey(textAt(link, "idpId"), textAt(link, "providedUserId")));
}

/** The fault of a link that another user has. */
export function takenLinkFault({ store }: ImportContext, user: JsonObject): ServiceFault | undefined {
  const has = linksOfUser("", user).some((link) => isTaken(store, link));
  return has ? taken("Errors.User.ExternalIDP.AlreadyExists") : undefined;
}

/** Stores a link to an identity at a provider, and claims the identity. */
export function putLink({ store }: Pick<ImportContext, "store">, orgId: string, link: JsonObject): void {
  const [idpId, external] = [textAt(link, "idpId"), textAt(link, "providedUserId")];
  const key = JSON.stringify([textAt(link, "userId"), idpId, external]);
  store.change({ do: "claim", key: linkKey(idpId, external), org: orgId });
  store.change({ do: "put", org: orgId, field: "userLinks", key, entry: link });
}

/** Adds a link to an existing user. */
export function addLink(context: Pick<ImportContext, "store" | "caller" | "events">, link: JsonObject): void {
  const userId = textAt(link, "userId");
  const orgId = context.store.state.userOrgs.get(userId) ?? "";
  putLink(context, orgId, link);
  if (!context.events) return;
  const where = { userId, orgId, editor: context.caller.userId };
  context.store.push([userEvent(where, "user.human.externalidp.added", linkPayload(link))]);
}
