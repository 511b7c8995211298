import { jsonAnswer, Refusal } from "../../http/answer.ts";
import { type JsonObject, textAt } from "../../http/json.ts";
import type { Handler } from "../../state/instance.ts";
import { formerKey, linkKey, ownerKey } from "../../state/keys.ts";
import type { Store } from "../../state/store.ts";
import { type ObjectEvent, objectEvent } from "../../users/belonging-events.ts";
import { changeDetails } from "../../users/details.ts";
import { acceptCaller, orgIdOf } from "../shared/accept.ts";
import { policies } from "./org-lists.ts";

/** Objects of an organization that go alone, and that the next import makes again (service behaviour 9.40). */
interface Kind {
  readonly lists: readonly string[];
  /** True for the object that the ids of the path name. */
  readonly isMeant: (entry: JsonObject, ids: readonly string[]) => boolean;
  readonly event: (ids: readonly string[], orgId: string) => ObjectEvent;
  /** The keys of `owners` that the object has. */
  readonly claims?: (entry: JsonObject, field: string, orgId: string) => readonly string[];
  /** The error for no such object. */
  readonly missing: readonly [message: string, id: string];
}

/** By the path after `/management/v1`. */
export const removableObjects: Readonly<Record<string, Kind>> = {
  "/projects/{}/roles/{}": {
    lists: ["projectRoles"],
    isMeant: (entry, [projectId, key]) => textAt(entry, "projectId") === projectId && textAt(entry, "roleKey") === key,
    event: ([projectId, key]) => objectEvent("project.role.removed", "project", projectId, { key }),
    missing: ["Role doesn't exist", "COMMAND-m9vMf"],
  },
  "/projects/{}/grants/{}": {
    lists: ["projectGrants"],
    isMeant: (entry, [, grantId]) => textAt(entry, "grantId") === grantId,
    event: ([projectId, grantId]) => objectEvent("project.grant.removed", "project", projectId, { grantId }),
    claims: ({ projectGrant }, field) => [
      ownerKey(field, `${textAt(projectGrant, "projectId")}_${textAt(projectGrant, "grantedOrgId")}`),
    ],
    missing: ["Project Grant not found", "PROJECT-D8JxR"],
  },
  "/idps/{}": {
    lists: ["oidcIdps", "jwtIdps"],
    isMeant: (entry, [idpId]) => textAt(entry, "idpId") === idpId,
    event: ([idpConfigId], orgId) => objectEvent("org.idp.config.removed", "org", orgId, { idpConfigId }),
    claims: (entry, field, orgId) => [
      ownerKey(field, textAt(entry, "idpId")),
      ownerKey(`${field} names`, JSON.stringify([orgId, textAt(entry, "idp", "name").toLowerCase()])),
    ],
    missing: ["Identity Provider Configuration doesn't exist", "QUERY-rhR2o"],
  },
};

/** `DELETE` of one of these paths. */
export function removeObject({ lists, isMeant, event, claims, missing }: Kind): Handler {
  return async (call, instance) => {
    const { userId: editor } = acceptCaller(call, instance, { permission: "user.write" });
    const { store } = instance;
    const orgId = orgIdOf(call, store.state);
    const found = lists.flatMap((field) =>
      [...(store.state.orgs.get(orgId)?.lists.get(field) ?? [])].flatMap(([key, entry]) =>
        isMeant(entry, call.parameters) ? [{ field, key, entry }] : [],
      ),
    );
    const [object] = found;
    if (object === undefined) throw new Refusal("notFound", ...missing);
    const { field, key, entry } = object;
    store.change({ do: "drop", org: orgId, field, key });
    for (const claim of claims?.(entry, field, orgId) ?? []) store.change({ do: "release", key: claim });
    const events = [event(call.parameters, orgId), ...dropLinks(store, orgId, lists, call.parameters[0])];
    store.push(events.map((one) => ({ ...one, orgId, editor })));
    store.commit();
    return jsonAnswer({ details: changeDetails(store.state, orgId, orgId) });
  };
}

/** The links to a removed identity provider go with it (service behaviour 9.39). */
function dropLinks(store: Store, orgId: string, lists: readonly string[], idpConfigId = ""): readonly ObjectEvent[] {
  if (!lists.includes("oidcIdps")) return [];
  const links = [...(store.state.orgs.get(orgId)?.lists.get("userLinks") ?? [])];
  return links.flatMap(([key, entry]) => {
    if (textAt(entry, "idpId") !== idpConfigId) return [];
    const external = textAt(entry, "providedUserId");
    store.change({ do: "drop", org: orgId, field: "userLinks", key });
    store.change({ do: "release", key: linkKey(idpConfigId, external) });
    const payload = { idpConfigId, userId: external };
    return [objectEvent("user.human.externalidp.cascade.removed", "user", entry["userId"], payload)];
  });
}

/** The errors for no such policy (2.62 and v4.15). A domain policy is removed by another call. */
export const removablePolicies: Readonly<Record<string, Kind["missing"]>> = {
  label: ["Private Label Policy not found", "Org-3M9df"],
  lockout: ["Errors.Org.LockoutPolicy.NotFound", "ORG-D4zuz"],
  login: ["Login Policy not found", "Org-GHB37"],
  "password/complexity": ["Password Complexity Policy not found", "ORG-ADgs2"],
  privacy: ["Errors.Org.PrivacyPolicy.NotFound", "ORG-Ze9gs"],
};

/** `DELETE /management/v1/policies/…`: the organization has the policy of the instance again. */
export function removePolicy(path: string, missing: Kind["missing"]): Handler {
  return async (call, instance) => {
    const { userId: editor } = acceptCaller(call, instance, { permission: "user.write" });
    const { store } = instance;
    const orgId = orgIdOf(call, store.state);
    const field = policies[path] ?? "";
    const org = store.state.orgs.get(orgId);
    const former = formerKey(orgId, field);
    if (org?.settings.has(field) !== true && !store.state.owners.has(former)) throw new Refusal("notFound", ...missing);
    store.change({ do: "release", key: former });
    store.change({ do: "setting", org: orgId, field, value: null });
    const type = `org.policy.${path.replace("/", ".")}.removed`;
    store.push([{ ...objectEvent(type, "org", orgId, {}), orgId, editor }]);
    store.commit();
    return jsonAnswer({ details: changeDetails(store.state, orgId, orgId) });
  };
}
