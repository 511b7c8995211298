import { type Answer, jsonAnswer } from "../../http/answer.ts";
import type { JsonObject } from "../../http/json.ts";
import type { Call, Instance } from "../../state/instance.ts";
import { sourceError } from "./answers.ts";

const DEFAULT_SIZE = 50;

/** `GET /api/v2/organizations`, in pages that name the start of the next one. */
export async function listOrganizations(call: Call, instance: Instance): Promise<Answer> {
  const all = instance.seed.sourceOrganizations.map(({ id, name }) => ({ id, name, display_name: name }));
  return checkpointPage("organizations", all, call);
}

/** `GET /api/v2/organizations/{id}/members`: with roles only if `fields` names them. */
export async function listMembers(call: Call, instance: Instance): Promise<Answer> {
  const organization = instance.seed.sourceOrganizations.find(({ id }) => id === call.parameters[0]);
  if (organization === undefined) return sourceError(404, "Not Found", "No organization found by that id");
  const hasRoles = (call.query.get("fields") ?? "").split(",").includes("roles");
  const members = Object.entries(organization.members).map(([id, roles]) => ({
    user_id: id,
    ...(hasRoles ? { roles: roles.map((name) => ({ id: `rol_${name}`, name })) } : {}),
  }));
  return checkpointPage("members", members, call);
}

/** `GET /api/v2/roles`: a bare list, in pages by number. */
export async function listRoles(call: Call, instance: Instance): Promise<Answer> {
  const size = Number(call.query.get("per_page") ?? DEFAULT_SIZE);
  const start = Number(call.query.get("page") ?? 0) * size;
  const page = instance.seed.sourceRoles.slice(start, start + size).map(({ id, name }) => ({ id, name }));
  return jsonAnswer(page);
}

/** `GET /api/v2/roles/{id}/users`, in pages that name the start of the next one. */
export async function listRoleUsers(call: Call, instance: Instance): Promise<Answer> {
  const role = instance.seed.sourceRoles.find(({ id }) => id === call.parameters[0]);
  if (role === undefined) return sourceError(404, "Not Found", "The role does not exist");
  const users = role.users.map((id) => ({ user_id: id }));
  return checkpointPage("users", users, call);
}

/** With `take` a page of a list, otherwise its first elements as a bare list. */
export function checkpointPage(key: string, all: readonly JsonObject[], { query }: Pick<Call, "query">): Answer {
  const take = Number(query.get("take") ?? 0);
  if (take === 0) return jsonAnswer(all.slice(0, DEFAULT_SIZE));
  const start = Number(query.get("from") ?? 0);
  const next = start + take < all.length ? { next: String(start + take) } : {};
  return jsonAnswer({ [key]: all.slice(start, start + take), ...next });
}
