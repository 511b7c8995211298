import { jsonAnswer, Refusal } from "../../http/answer.ts";
import { type JsonObject, textAt } from "../../http/json.ts";
import type { Handler } from "../../state/instance.ts";
import { ownerOf } from "../../state/lookup.ts";
import type { Org, State } from "../../state/state.ts";
import { belongingEvents, objectEvent } from "../../users/belonging-events.ts";
import { changeDetails } from "../../users/details.ts";
import { acceptCaller, orgIdOf } from "../shared/accept.ts";

/** Objects that can be deactivated, by their paths. */
interface Kind {
  readonly event: string;
  readonly aggregateType: string;
  readonly idOf: (ids: readonly string[], orgId: string) => string;
  readonly payload: (ids: readonly string[]) => JsonObject;
  readonly isThere: (ids: readonly string[], org: Org, state: State) => boolean;
  /** The errors for no such object, of `_deactivate` and `_reactivate`. */
  readonly missing: readonly [message: string, deactivate: string, reactivate: string];
}

/** Exports and lists of the mock show these objects as the service does: without their state (service behaviour 9.37). */
export const objectStates: Readonly<Record<string, Kind>> = {
  "/users/{}/grants/{}": {
    event: "user.grant",
    aggregateType: "usergrant",
    idOf: ([, grantId = ""]) => grantId,
    payload: () => ({}),
    isThere: ([, grantId = ""], org, { events }) => events.latest(grantId, "user.grant.added")?.orgId === org.id,
    missing: ["User grant not found", "COMMAND-3M9sd", "COMMAND-Lp0gs"],
  },
  "/projects/{}": {
    event: "project",
    aggregateType: "project",
    idOf: ([projectId = ""]) => projectId,
    payload: () => ({}),
    isThere: ([projectId = ""], org, state) => ownerOf(state, "projects", projectId) === org,
    missing: ["Project not found", "COMMAND-112M9", "COMMAND-3M9sd"],
  },
  "/projects/{}/grants/{}": {
    event: "project.grant",
    aggregateType: "project",
    idOf: ([projectId = ""]) => projectId,
    payload: ([, grantId = ""]) => ({ grantId }),
    isThere: ([, grantId = ""], { lists }) => lists.get("projectGrants")?.has(grantId) === true,
    missing: ["Grant not found", "PROJECT-D8JxR", "PROJECT-D8JxR"],
  },
  "/projects/{}/apps/{}": {
    event: "project.application",
    aggregateType: "project",
    idOf: ([projectId = ""]) => projectId,
    payload: ([, appId = ""]) => ({ appId }),
    isThere: ([, appId = ""], { lists }) =>
      ["oidcApps", "apiApps"].some((list) => lists.get(list)?.has(appId) === true),
    missing: ["Application doesn't exist", "COMMAND-ov9d3", "COMMAND-ov9d3"],
  },
  "/actions/{}": {
    event: "action",
    aggregateType: "action",
    idOf: ([actionId = ""]) => actionId,
    payload: () => ({}),
    isThere: ([actionId = ""], org, state) => ownerOf(state, "actions", actionId) === org,
    missing: ["Action not found", "COMMAND-NRmhu", "COMMAND-Aa22g"],
  },
  "/idps/{}": {
    event: "org.idp.config",
    aggregateType: "org",
    idOf: (_, orgId) => orgId,
    payload: ([idpConfigId = ""]) => ({ idpConfigId }),
    isThere: ([idpId = ""], { lists }) =>
      ["oidcIdps", "jwtIdps"].some((list) =>
        [...(lists.get(list)?.values() ?? [])].some((entry) => textAt(entry, "idpId") === idpId),
      ),
    missing: ["Identity Provider Configuration doesn't exist", "Org-BBmd0", "Org-5Mo0d"],
  },
};

/** `POST /management/v1/…/_deactivate` and `_reactivate` of one of these paths. */
export function changeState(kind: Kind, change: "deactivated" | "reactivated"): Handler {
  return async (call, instance) => {
    const { userId: editor } = acceptCaller(call, instance, { permission: "user.write" });
    const { store } = instance;
    const { parameters } = call;
    const orgId = orgIdOf(call, store.state);
    const org = store.state.orgs.get(orgId);
    const [message, deactivate, reactivate] = kind.missing;
    if (org === undefined || !kind.isThere(parameters, org, store.state))
      throw new Refusal("notFound", message, change === "deactivated" ? deactivate : reactivate);
    const id = kind.idOf(parameters, orgId);
    const payload = kind.payload(parameters);
    store.push([{ ...objectEvent(`${kind.event}.${change}`, kind.aggregateType, id, payload), orgId, editor }]);
    store.commit();
    return jsonAnswer({ details: changeDetails(store.state, id, orgId) });
  };
}

/** `DELETE /management/v1/projects/{id}`: what the project holds goes with it (service behaviour 9.39). */
export const removeProject: Handler = async (call, instance) => {
  const { userId: editor } = acceptCaller(call, instance, { permission: "user.write" });
  const { store } = instance;
  const orgId = orgIdOf(call, store.state);
  const [projectId = ""] = call.parameters;
  const org = store.state.orgs.get(orgId);
  if (org === undefined || ownerOf(store.state, "projects", projectId) !== org)
    throw new Refusal("notFound", "Project not found", "COMMAND-3M9sd");
  const events = [objectEvent("project.removed", "project", projectId, {})];
  for (const [field, entries] of [...org.lists])
    for (const [key, entry] of [...entries]) {
      if ((textAt(entry, "projectId") || textAt(entry, "app", "projectId")) !== projectId) continue;
      store.change({ do: "drop", org: orgId, field, key });
      if (field !== "userGrants") continue;
      const added = belongingEvents["userGrants"]?.(entry, orgId);
      if (added !== undefined)
        events.push(objectEvent("user.grant.cascade.removed", "usergrant", added.aggregateId, {}));
    }
  store.push(events.map((event) => ({ ...event, orgId, editor })));
  store.commit();
  return jsonAnswer({ details: changeDetails(store.state, projectId, orgId) });
};
