import { jsonAnswer, Refusal } from "../../http/answer.ts";
import { textAt } from "../../http/json.ts";
import type { Handler } from "../../state/instance.ts";
import { formerKey, linkKey } from "../../state/keys.ts";
import type { State } from "../../state/state.ts";
import { type ObjectEvent, objectEvent } from "../../users/belonging-events.ts";
import { changeDetails } from "../../users/details.ts";
import { isSkipped } from "../../users/gaps.ts";
import { acceptCaller, orgIdOf } from "../shared/accept.ts";

/** How a belonging is found by the ids in the path: its key, and the event of its removal; undefined: there was none. */
interface Kind {
  readonly field: string;
  readonly find: (ids: readonly string[], orgId: string, state: State) => readonly [string, ObjectEvent] | undefined;
  readonly missing: readonly [message: string, id: string];
}

/** The calls that take something from a user, also from a deleted one (service behaviour 9.25). */
export const belongings: Readonly<Record<string, Kind>> = {
  "/users/{}/grants/{}": {
    field: "userGrants",
    find([, grantId = ""], _orgId, { events }) {
      const added = events.latest(grantId, "user.grant.added")?.payload;
      if (added === undefined) return undefined;
      const [projectId, userId] = [textAt(added, "projectId"), textAt(added, "userId")];
      const key = JSON.stringify([projectId, textAt(added, "grantId"), userId]);
      return [key, objectEvent("user.grant.removed", "usergrant", grantId, { projectId, userId })];
    },
    missing: ["User grant not found", "COMMAND-1My0t"],
  },
  "/orgs/me/members/{}": {
    field: "orgMembers",
    find: ([userId = ""], orgId) => [userId, objectEvent("org.member.removed", "org", orgId, { userId })],
    missing: ["Organisation member not found", "ORG-D8JxR"],
  },
  "/projects/{}/members/{}": {
    field: "projectMembers",
    find([projectId = "", userId = ""]) {
      const event = objectEvent("project.member.removed", "project", projectId, { userId });
      return [JSON.stringify([projectId, userId]), event];
    },
    missing: ["Project member not found", "PROJECT-D8JxR"],
  },
  "/projects/{}/grants/{}/members/{}": {
    field: "projectGrantMembers",
    find([projectId = "", grantId = "", userId = ""]) {
      const event = objectEvent("project.grant.member.removed", "project", projectId, { userId, grantId });
      return [JSON.stringify([projectId, grantId, userId]), event];
    },
    missing: ["Project grant member not found", "PROJECT-8M0fs"],
  },
  "/users/{}/idps/{}/{}": {
    field: "userLinks",
    find([userId = "", idpId = "", external = ""]) {
      const payload = { idpConfigId: idpId, userId: external };
      const event = objectEvent("user.human.externalidp.removed", "user", userId, payload);
      return [JSON.stringify([userId, idpId, external]), event];
    },
    missing: ["External IDP not found", "COMMAND-1M9xR"],
  },
  "/users/{}/keys/{}": {
    field: "machineKeys",
    find: ([userId = "", keyId = ""]) => [keyId, objectEvent("user.machine.key.removed", "user", userId, { keyId })],
    missing: ["Machine key not found", "COMMAND-4m77G"],
  },
};

/** `DELETE /management/v1/…` of one of these paths. */
export function removeBelonging({ field, find, missing }: Kind): Handler {
  return async (call, instance) => {
    const { userId: editor } = acceptCaller(call, instance, { permission: "user.write" });
    const { store } = instance;
    const orgId = orgIdOf(call, store.state);
    const [key = "", event] = find(call.parameters, orgId, store.state) ?? [];
    const isThere = store.state.orgs.get(orgId)?.lists.get(field)?.has(key) === true;
    const isFormer = store.state.owners.has(formerKey(orgId, field, key));
    if (event === undefined || !(isThere || isFormer)) throw new Refusal("notFound", ...missing);
    store.change({ do: "release", key: formerKey(orgId, field, key) });
    store.change({ do: "drop", org: orgId, field, key });
    if (field === "userLinks")
      store.change({
        do: "release",
        key: linkKey(textAt(event.payload, "idpConfigId"), textAt(event.payload, "userId")),
      });
    const userId = event.aggregateType === "user" ? event.aggregateId : textAt(event.payload, "userId");
    if (isSkipped(field, userId, store.state)) store.state.skipped.delete(userId);
    store.push([{ ...event, orgId, editor }]);
    store.commit();
    return jsonAnswer({ details: changeDetails(store.state, event.aggregateId, orgId) });
  };
}
