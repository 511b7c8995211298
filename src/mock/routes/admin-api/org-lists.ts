import { type Answer, jsonAnswer, Refusal } from "../../http/answer.ts";
import { isObject, type JsonObject, listAt, textAt, textsAt } from "../../http/json.ts";
import { textListOf } from "../../import/texts.ts";
import { messageType } from "../../messages/message-type.ts";
import type { Call, Handler, Instance } from "../../state/instance.ts";
import { isSkipped } from "../../users/gaps.ts";
import { noLag } from "../../users/lag.ts";
import { acceptCaller, ownOrg } from "../shared/accept.ts";
import { listAnswer, pageOf } from "../shared/page.ts";
import { exportedOrg } from "./exported-org.ts";

/** The objects of a list, of an organization as an export has it; `parameters` are the ids in the path. */
type List = (org: JsonObject, parameters: readonly string[], seed: Instance["seed"]) => readonly JsonObject[];

const inProject =
  (list: string, view: (entry: JsonObject) => JsonObject) =>
  (org: JsonObject, [projectId, grantId]: readonly string[]): readonly JsonObject[] =>
    listAt(org, list)
      .filter((entry) => (textAt(entry, "projectId") || textAt(inner(entry), "projectId")) === projectId)
      .filter((entry) => grantId === undefined || textAt(entry, "grantId") === grantId)
      .map(view);

const member = ({ userId, roles }: JsonObject): JsonObject => ({ userId: userId ?? "", roles });

/** The lists of the older API, by the path after `/management/v1` (probed on the 4.x line of July 2026). */
export const orgLists: Readonly<Record<string, List>> = {
  "/idps/_search": (org) => [
    ...listAt(org, "oidcIdps").map((entry) => shownIdp(entry, "oidcConfig")),
    ...listAt(org, "jwtIdps").map((entry) => shownIdp(entry, "jwtConfig")),
  ],
  "/idps/templates/_search": (org, _, { instanceIdpIds }) => [
    ...instanceIdpIds.map((id) => template(id, id, "PROVIDER_TYPE_OIDC", "IDP_OWNER_TYPE_SYSTEM")),
    ...listAt(org, "oidcIdps").map((entry) => shownTemplate(entry, "PROVIDER_TYPE_OIDC")),
    ...listAt(org, "jwtIdps").map((entry) => shownTemplate(entry, "PROVIDER_TYPE_JWT")),
  ],
  "/orgs/me/domains/_search": (org) => listAt(org, "domains"),
  "/orgs/me/members/_search": (org) => listAt(org, "orgMembers").map(member),
  "/actions/_search": (org) =>
    listAt(org, "actions").map((entry) => ({ id: textAt(entry, "actionId"), ...inner(entry) })),
  "/projects/_search": (org) =>
    listAt(org, "projects").map((entry) => ({ id: textAt(entry, "projectId"), ...inner(entry) })),
  "/projects/{}/roles/_search": inProject("projectRoles", ({ roleKey, projectId: _, ...role }) => ({
    key: roleKey ?? "",
    ...role,
  })),
  "/projects/{}/apps/_search": (org, parameters) => [
    ...inProject("oidcApps", (entry) => shownApp(entry, "oidcConfig"))(org, parameters),
    ...inProject("apiApps", (entry) => shownApp(entry, "apiConfig"))(org, parameters),
  ],
  "/projects/{}/members/_search": inProject("projectMembers", member),
  "/projects/{}/grants/_search": inProject("projectGrants", (entry) => {
    const { roleKeys, ...grant } = inner(entry);
    return { grantId: textAt(entry, "grantId"), ...grant, grantedRoleKeys: roleKeys };
  }),
  "/projects/{}/grants/{}/members/_search": inProject("projectGrantMembers", member),
};

/** Searches one of these lists; `offset` and `limit` are those of the request. */
export function searchList(list: List): Handler {
  return async (call, instance) => {
    const org = await ownDocument(call, instance);
    const request: JsonObject = JSON.parse(Buffer.from(call.body).toString() || "{}");
    const { total, entries } = pageOf(list(org, call.parameters, instance.seed), request["query"]);
    return listAnswer(total, entries);
  };
}

/** Searches the role grants of an organization, by the ids of user and project. */
export async function searchGrants(call: Call, instance: Instance): Promise<Answer> {
  acceptCaller(call, instance, { permission: "user.read" });
  const { state } = instance.store;
  const request: JsonObject = JSON.parse(Buffer.from(call.body).toString() || "{}");
  const queries = listAt(request, "queries");
  const fits = (entry: JsonObject, name: "userId" | "projectId"): boolean => {
    const query = queries.find((one) => `${name}Query` in one);
    return query === undefined || textAt(query, `${name}Query`, name) === textAt(entry, name);
  };
  const found = [...(ownOrg(call, state).lists.get("userGrants")?.values() ?? [])]
    .filter((entry) => fits(entry, "userId") && fits(entry, "projectId"))
    .filter((entry) => !isSkipped("userGrants", textAt(entry, "userId"), state));
  const { total, entries } = pageOf(found, request["query"]);
  return listAnswer(total, entries);
}

/** The policies of an organization, by the path after `/management/v1/policies/`. */
export const policies: Readonly<Record<string, string>> = {
  domain: "domainPolicy",
  label: "labelPolicy",
  lockout: "lockoutPolicy",
  login: "loginPolicy",
  "password/complexity": "passwordComplexityPolicy",
  privacy: "privacyPolicy",
};
export const policyPaths = Object.keys(policies);

/** `GET /management/v1/policies/…`: the policy of the organization, or the default of the instance. */
export function showPolicy(path: string): Handler {
  return async (call, instance) => {
    const org = await ownDocument(call, instance);
    const policy = org[policies[path] ?? ""];
    return jsonAnswer({ policy: isObject(policy) ? policy : { isDefault: true } });
  };
}

/** `GET /management/v1/text/login/{language}` and `…/text/message/{kind}/{language}`. */
export async function showText(call: Call, instance: Instance): Promise<Answer> {
  const org = await ownDocument(call, instance);
  const [kind = "login", language] = call.parameters.length === 1 ? ["login", call.parameters[0]] : call.parameters;
  const list = textListOf(kind);
  if (list === undefined) throw new Refusal("notFound", "Not Found");
  const { language: _, ...text } = listAt(org, list).find((entry) => textAt(entry, "language") === language) ?? {};
  return jsonAnswer({ customText: Object.keys(text).length === 0 ? { isDefault: true } : text });
}

/** `GET /management/v1/flows/{type}`. */
export async function showFlow(call: Call, instance: Instance): Promise<Answer> {
  const org = await ownDocument(call, instance);
  const [id = ""] = call.parameters;
  const triggerActions = listAt(org, "triggerActions")
    .filter((entry) => textAt(entry, "flowType") === id)
    .map((entry) => ({
      triggerType: { id: textAt(entry, "triggerType") },
      actions: textsAt(entry, "actionIds").map((actionId) => ({ id: actionId })),
    }));
  return jsonAnswer({ flow: { type: { id }, ...(triggerActions.length === 0 ? {} : { triggerActions }) } });
}

const USER_LISTS = new Set(["humanUsers", "machineUsers", "userMetadata", "userLinks", "userGrants", "machineKeys"]);

/** The organization in the header as an export has it, without its users. */
async function ownDocument(call: Call, instance: Instance): Promise<JsonObject> {
  acceptCaller(call, instance, { permission: "org.read" });
  const { store, traits } = instance;
  const org = ownOrg(call, store.state);
  const { descriptor } = await messageType("zitadel.admin.v1.DataOrg");
  const lists = new Map([...org.lists].filter(([name]) => !USER_LISTS.has(name)));
  const shown = { ...org, lists };
  const orgs = [...store.state.orgs.values()].map((other) => (other === org ? shown : other));
  return exportedOrg(shown, { store, traits, descriptor, orgs, withPasswords: false, withOtp: false, lag: noLag });
}

function inner(entry: JsonObject): JsonObject {
  const found = ["project", "app", "action", "idp", "projectGrant"].map((name) => entry[name]).find(isObject);
  return found ?? {};
}

function shownIdp(entry: JsonObject, config: "oidcConfig" | "jwtConfig"): JsonObject {
  const { name, stylingType, autoRegister, clientSecret: _, ...rest } = inner(entry);
  const id = textAt(entry, "idpId");
  return { id, name, stylingType, autoRegister, owner: "IDP_OWNER_TYPE_ORG", [config]: rest };
}

function shownTemplate(entry: JsonObject, type: string): JsonObject {
  return template(textAt(entry, "idpId"), textAt(inner(entry), "name"), type, "IDP_OWNER_TYPE_ORG");
}

/** As service behaviour 9.19 has it. */
function template(id: string, name: string, type: string, owner: string): JsonObject {
  return { id, name, owner, type, config: { options: { isLinkingAllowed: true, isCreationAllowed: true } } };
}

function shownApp(entry: JsonObject, config: "oidcConfig" | "apiConfig"): JsonObject {
  const { name, projectId: _, ...rest } = inner(entry);
  return { id: textAt(entry, "appId"), name, [config]: rest };
}
