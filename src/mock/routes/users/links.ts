import type { Answer } from "../../http/answer.ts";
import { isObject, textAt } from "../../http/json.ts";
import { addLink } from "../../import/links.ts";
import type { Call, Instance } from "../../state/instance.ts";
import { timestampOf } from "../../state/timestamp.ts";
import { listAnswer, pageOf } from "../shared/page.ts";
import { checkLinks, linkOf } from "./rules.ts";
import { acceptUserCall, acceptUserSearch, changedAnswer, missingUser } from "./target.ts";

/** `POST /v2/users/{id}/links`: adds an identity at a provider (service behaviour 0.28). */
export async function addUserLink(call: Call, instance: Instance): Promise<Answer> {
  const missing = missingUser("COMMAND-vzktar7b7f", "User could not be found", "failedPrecondition");
  const { user, caller, request } = await acceptUserCall(call, instance, "zitadel.user.v2.AddIDPLinkRequest", missing);
  const given = request["idpLink"];
  const link = linkOf(user.id, isObject(given) ? given : {});
  checkLinks([link], instance);
  addLink({ store: instance.store, caller, events: true }, link);
  instance.store.commit();
  return changedAnswer(instance, user);
}

/** `POST /v2/users/{id}/links/_search`. */
export async function searchLinks(call: Call, instance: Instance): Promise<Answer> {
  const { request, user } = await acceptUserSearch(call, instance, "zitadel.user.v2.ListIDPLinksRequest");
  const links = [...(user?.org.lists.get("userLinks")?.values() ?? [])];
  const found = links
    .filter((link) => textAt(link, "userId") === user?.id)
    .map(({ idpId, providedUserId, providedUserName }) => ({
      idpId,
      userId: providedUserId,
      userName: providedUserName,
    }));
  const { entries, total } = pageOf(found, request["query"]);
  const timestamp = timestampOf(found.length === 0 ? undefined : instance.store.state.events.all.at(-1)?.at);
  return listAnswer({ ...total, timestamp }, entries);
}
