import { type Answer, jsonAnswer, Refusal } from "../../http/answer.ts";
import { type JsonObject, textAt } from "../../http/json.ts";
import type { Call, Instance } from "../../state/instance.ts";
import { formerKey, linkKey } from "../../state/keys.ts";
import type { State } from "../../state/state.ts";
import { changeDetails } from "../../users/details.ts";
import { isSkipped } from "../../users/gaps.ts";
import { acceptCaller, orgIdOf } from "../shared/accept.ts";

/** What belongs to a user, and the event of its removal. */
interface Belonging {
  readonly key: string;
  readonly type: string;
  readonly aggregateType: string;
  readonly aggregateId: string;
  readonly payload: JsonObject;
}

/** How a belonging is found by the ids in the path; undefined: there was none. */
interface Kind {
  readonly field: string;
  readonly find: (ids: readonly string[], orgId: string, state: State) => Belonging | undefined;
  readonly missing: readonly [message: string, id: string];
}

const member = (type: string, key: string, aggregateId: string, payload: JsonObject): Belonging => ({
  key,
  type: `${type}.member.removed`,
  aggregateType: type.split(".")[0] ?? "",
  aggregateId,
  payload,
});

/** The calls that take something from a user, also from a deleted one (service behaviour 9.25). */
export const belongings: Readonly<Record<string, Kind>> = {
  "/users/{}/grants/{}": {
    field: "userGrants",
    find([, grantId = ""], _orgId, { events }) {
      const added = events.latest(grantId, "user.grant.added");
      if (added?.payload === undefined) return undefined;
      const [projectId, userId] = [textAt(added.payload, "projectId"), textAt(added.payload, "userId")];
      const key = JSON.stringify([projectId, textAt(added.payload, "grantId"), userId]);
      const payload = { projectId, userId };
      return { key, type: "user.grant.removed", aggregateType: "usergrant", aggregateId: grantId, payload };
    },
    missing: ["User grant not found", "COMMAND-1My0t"],
  },
  "/orgs/me/members/{}": {
    field: "orgMembers",
    find: ([userId = ""], orgId) => member("org", userId, orgId, { userId }),
    missing: ["Organisation member not found", "ORG-D8JxR"],
  },
  "/projects/{}/members/{}": {
    field: "projectMembers",
    find: ([projectId = "", userId = ""]) =>
      member("project", JSON.stringify([projectId, userId]), projectId, { userId }),
    missing: ["Project member not found", "PROJECT-D8JxR"],
  },
  "/projects/{}/grants/{}/members/{}": {
    field: "projectGrantMembers",
    find: ([projectId = "", grantId = "", userId = ""]) =>
      member("project.grant", JSON.stringify([projectId, grantId, userId]), projectId, { userId, grantId }),
    missing: ["Project grant member not found", "PROJECT-8M0fs"],
  },
  "/users/{}/idps/{}/{}": {
    field: "userLinks",
    find: ([userId = "", idpId = "", external = ""]) => ({
      key: JSON.stringify([userId, idpId, external]),
      type: "user.human.externalidp.removed",
      aggregateType: "user",
      aggregateId: userId,
      payload: { idpConfigId: idpId, userId: external },
    }),
    missing: ["External IDP not found", "COMMAND-1M9xR"],
  },
};

/** `DELETE /management/v1/…` of one of these paths. */
export function removeBelonging({ field, find, missing }: Kind): (call: Call, instance: Instance) => Promise<Answer> {
  return async (call, instance) => {
    const { userId: editor } = acceptCaller(call, instance, { permission: "user.write" });
    const { store } = instance;
    const orgId = orgIdOf(call, store.state);
    const found = find(call.parameters, orgId, store.state);
    const isThere = found !== undefined && store.state.orgs.get(orgId)?.lists.get(field)?.has(found.key) === true;
    const isFormer = found !== undefined && store.state.owners.has(formerKey(field, found.key));
    if (found === undefined || !(isThere || isFormer)) throw new Refusal("notFound", ...missing);
    const { key, ...event } = found;
    store.change({ do: "release", key: formerKey(field, key) });
    store.change({ do: "drop", org: orgId, field, key });
    if (field === "userLinks")
      store.change({
        do: "release",
        key: linkKey(textAt(event.payload, "idpConfigId"), textAt(event.payload, "userId")),
      });
    const userId = field === "userLinks" ? event.aggregateId : textAt(event.payload, "userId");
    if (isSkipped(field, userId, store.state)) store.state.skipped.delete(userId);
    store.push([{ ...event, orgId, editor }]);
    store.commit();
    return jsonAnswer({ details: changeDetails(store.state, found.aggregateId, orgId) });
  };
}
