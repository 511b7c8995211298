import { type Answer, jsonAnswer, Refusal } from "../../http/answer.ts";
import { may } from "../../http/auth.ts";
import { isObject, type JsonObject, listAt, textAt, valueAt } from "../../http/json.ts";
import { addOrg } from "../../import/run.ts";
import { generatedId } from "../../state/generated-id.ts";
import type { Call, Instance } from "../../state/instance.ts";
import type { Org, State } from "../../state/state.ts";
import { timestampOf } from "../../state/timestamp.ts";
import { changeDetails } from "../../users/details.ts";
import { lagOf } from "../../users/lag.ts";
import { removeOrg } from "../../users/remove.ts";
import { textMatcherOf } from "../../users/text-query.ts";
import { domainsOf } from "../../users/view.ts";
import { accept, acceptCaller, ownOrg } from "../shared/accept.ts";
import { listAnswer, type Page, pageOf } from "../shared/page.ts";

/** `POST /admin/v1/orgs/_search`; `viewTimestamp` is the time up to which the list is complete (service behaviour 0.15). */
export async function searchOrgs(call: Call, instance: Instance): Promise<Answer> {
  const { request } = await accept(call, instance, "zitadel.admin.v1.ListOrgsRequest", { permission: "org.read" });
  const { total, entries: page } = foundOrgs(request, instance);
  const { until } = lagOf(instance.store.state, call.lagUsers);
  const viewTimestamp = until === undefined ? instance.now().toISOString() : timestampOf(until);
  const result = page.map((org) => view(org, instance, "ORG_STATE"));
  return listAnswer({ ...total, viewTimestamp }, result);
}

/** `POST /v2/organizations/_search`. A caller without the permission to read organizations gets only their number (probed on v4). */
export async function searchOrganizations(call: Call, instance: Instance): Promise<Answer> {
  const { caller, request } = await accept(call, instance, "zitadel.org.v2.ListOrganizationsRequest");
  const asksForDefault = listAt(request, "queries").some((query) => query["defaultQuery"] !== undefined);
  if (asksForDefault && !instance.traits.knowsDefaultOrgQuery) throw unknownQuery();
  const { total, entries: page } = foundOrgs(request, instance);
  const shown = may(caller, "org.read") ? page : [];
  const last = instance.store.state.events.all.findLast(({ type }) => type.startsWith("org."));
  const result = shown.map((org) => view(org, instance, "ORGANIZATION_STATE"));
  return listAnswer({ ...total, timestamp: timestampOf(last?.at) }, result);
}

function unknownQuery(): Refusal {
  const cause = "invalid SearchQuery.Query: value is required";
  const text = "invalid ListOrganizationsRequest.Queries[0]: embedded message failed validation";
  return new Refusal("invalidArgument", `${text} | caused by: ${cause}`);
}

/** `GET /admin/v1/orgs/{id}`. */
export async function showOrg(call: Call, instance: Instance): Promise<Answer> {
  acceptCaller(call, instance, { permission: "org.read" });
  const org = instance.store.state.orgs.get(call.parameters[0] ?? "");
  if (org === undefined) throw new Refusal("notFound", "Organisation not found", instance.traits.orgNotFoundId);
  return jsonAnswer({ org: view(org, instance, "ORG_STATE") });
}

/** `POST /v2/organizations`: the id may be that of a deleted one, whose users do not come back (service behaviour 9.48). */
export async function addOrganization(call: Call, instance: Instance): Promise<Answer> {
  const message = "zitadel.org.v2.AddOrganizationRequest";
  const { caller, request } = await accept(call, instance, message, { permission: "org.create" });
  const { store } = instance;
  const [id, name] = [textAt(request, "orgId") || generatedId(), textAt(request, "name")];
  if (store.state.orgs.has(id)) throw new Refusal("alreadyExists", "Errors.Org.AlreadyExisting", "ORG-laho2n");
  addOrg(store, { id, name }, instance.domain, caller.userId);
  store.commit();
  return jsonAnswer({ details: changeDetails(store.state, id, id), organizationId: id });
}

/** `DELETE /management/v1/orgs/me`: deletes the organization in the header. */
export async function deleteOwnOrg(call: Call, instance: Instance): Promise<Answer> {
  const caller = acceptCaller(call, instance, { permission: "org.delete" });
  const { state } = instance.store;
  const { id } = ownOrg(call, state);
  removeOrg(instance.store, id, caller.userId);
  return jsonAnswer({ details: changeDetails(state, id, state.instance?.id ?? "") });
}

function foundOrgs(request: JsonObject, { store }: Instance): Page<Org> {
  const { state } = store;
  const queries = listAt(request, "queries");
  const found = [...state.orgs.values()].filter((org) => queries.every((query) => fits(org, query, state)));
  const byName = /_NAME$/.test(textAt(request, "sortingColumn"));
  const asc = valueAt(request, "query", "asc") === true;
  // Unsorted, the order is that of their creation; `asc` has no effect (probed on v4).
  const sorted = byName ? [...found].sort((one, other) => (asc ? 1 : -1) * one.name.localeCompare(other.name)) : found;
  return pageOf(sorted, request["query"]);
}

function fits(org: Org, query: JsonObject, state: State): boolean {
  const [[kind, given] = ["", {}]] = Object.entries(query);
  const value = isObject(given) ? given : {};
  switch (kind) {
    case "nameQuery":
      return textMatcherOf(value)(org.name);
    case "domainQuery":
      return domainsOf(org).some(textMatcherOf(value));
    case "stateQuery":
      return textAt(value, "state").endsWith(`STATE_${stateOf(org)}`);
    case "idQuery":
      return org.id === textAt(value, "id");
    default:
      return org.id === state.instance?.defaultOrgId;
  }
}

function stateOf({ settings }: Org): "ACTIVE" | "INACTIVE" {
  return settings.has("orgState") ? "INACTIVE" : "ACTIVE";
}

function view(org: Org, { store, traits }: Instance, stateName: "ORG_STATE" | "ORGANIZATION_STATE"): JsonObject {
  const added = store.state.events.ofAggregate(org.id).findLast(({ type }) => type === "org.added");
  const dated = stateName === "ORG_STATE" || traits.answersCreationDate;
  return {
    id: org.id,
    details: {
      ...changeDetails(store.state, org.id, org.id),
      ...(added !== undefined && dated ? { creationDate: timestampOf(added.at) } : {}),
    },
    state: `${stateName}_${stateOf(org)}`,
    name: org.name,
    primaryDomain: domainsOf(org)[0] ?? "",
  };
}

/** `POST /admin/v1/members/_search`: the users with a role on the instance, which are those of the tokens (service behaviour 0.66). */
export async function searchMembers(call: Call, instance: Instance): Promise<Answer> {
  const { request } = await accept(call, instance, "zitadel.admin.v1.ListIAMMembersRequest", {
    permission: "iam.read",
  });
  const roles = new Map([...instance.grants.values()].map((grant) => [grant.userId, grant.roles]));
  const members = [...roles].filter(([, own]) => own.length > 0).map(([userId, own]) => ({ userId, roles: [...own] }));
  const { total, entries } = pageOf(members, valueAt(request, "query"));
  return listAnswer(total, entries);
}
