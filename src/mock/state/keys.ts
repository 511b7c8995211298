import { type JsonValue, valueAt } from "../http/json.ts";

/** What of an organization decides how its users are called. */
interface NamedOrg {
  readonly id: string;
  readonly settings: ReadonlyMap<string, JsonValue>;
}

/** Key of `owners` for one identity at a provider: it belongs to one user only. */
export function linkKey(idpId: string, externalUserId: string): string {
  return ownerKey("links", JSON.stringify([idpId, externalUserId]));
}

/** Key of `owners` for one object of a kind. */
export function ownerKey(kind: string, id: string): string {
  return `${kind}/${id}`;
}

/**
 * What must be unique about a user name: upper and lower case are the same, and it is unique in the instance, or in the
 * organization where login names end in its domain (service behaviour 2.2, unique constraint).
 */
export function uniqueName(org: NamedOrg, userName: string): string {
  return userLoginMustBeDomain(org) ? `${userName.toLowerCase()}/${org.id}` : userName.toLowerCase();
}

export function userLoginMustBeDomain(org: Pick<NamedOrg, "settings">): boolean {
  return valueAt(org.settings.get("domainPolicy"), "userLoginMustBeDomain") === true;
}
