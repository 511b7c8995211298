import { uniqueUserName } from "../../contract/users.ts";
import { type JsonValue, valueAt } from "../http/json.ts";

/** The parts of an organization that decide over its users' login names. */
interface NamedOrg {
  readonly id: string;
  readonly settings: ReadonlyMap<string, JsonValue>;
}

/** Key of `owners` for one identity at a provider: it belongs to at most one user. */
export function linkKey(idpId: string, externalUserId: string): string {
  return ownerKey("links", JSON.stringify([idpId, externalUserId]));
}

/**
 * Key of `owners` for what a deleted user or organization left behind: it still stands in the way of the same object of the organization
 * (service behaviour 9.14, 9.25, 9.48). A policy has no key.
 */
export function formerKey(orgId: string, field: string, key = ""): string {
  return ownerKey(`former ${field}`, JSON.stringify([orgId, key]));
}

/** Key of `owners` for one object of a kind. */
export function ownerKey(kind: string, id: string): string {
  return `${kind}/${id}`;
}

/**
 * The unique form of a user name, without case. It is unique in the instance, or in the organization where login names end in its
 * domain (service behaviour 2.2, unique constraint).
 */
export function uniqueName(org: NamedOrg, userName: string): string {
  const name = uniqueUserName(userName);
  return userLoginMustBeDomain(org) ? `${name}/${org.id}` : name;
}

export function userLoginMustBeDomain({ settings }: Pick<NamedOrg, "settings">): boolean {
  return valueAt(settings.get("domainPolicy"), "userLoginMustBeDomain") === true;
}
