import type { Grant } from "../api.ts";
import { LibraryError, Refusal } from "./answer.ts";

/** The permissions that calls need, with the roles that have them (service behaviour 0.18, 1.1, 1.7, 1.8). */
const rolesOf = {
  "iam.write": ["IAM_OWNER"],
  "iam.read": ["IAM_OWNER", "IAM_OWNER_VIEWER"],
  "events.read": ["IAM_OWNER", "IAM_OWNER_VIEWER"],
  "org.read": ["IAM_OWNER", "IAM_OWNER_VIEWER", "IAM_ORG_MANAGER", "IAM_USER_MANAGER"],
  "org.create": ["IAM_OWNER", "IAM_ORG_MANAGER"],
  "org.delete": ["IAM_OWNER", "IAM_ORG_MANAGER"],
  "user.read": ["IAM_OWNER", "IAM_OWNER_VIEWER", "IAM_USER_MANAGER", "IAM_ORG_MANAGER"],
  "user.write": ["IAM_OWNER", "IAM_USER_MANAGER", "IAM_ORG_MANAGER"],
  "session.write": ["IAM_OWNER", "IAM_LOGIN_CLIENT"],
};
export type Permission = keyof typeof rolesOf;

/** A grant of the API; `issued`: by the token endpoint, whose tokens not every version of the service accepts (service behaviour 0.20). */
export interface IssuedGrant extends Grant {
  readonly issued?: boolean;
}

export type Caller = Pick<Grant, "userId" | "roles">;

/** The parts of an instance that decide over tokens. */
export interface Gate {
  readonly grants: ReadonlyMap<string, IssuedGrant>;
  readonly now: () => Date;
  readonly traits: { readonly takesClientCredentialTokens: boolean };
}

/** The user who calls. Raises Refusal 401 for a missing, unknown or expired token, 403 for one that this service does not accept. */
export function authenticate(header: string, gate: Gate): Caller {
  if (header === "") throw new LibraryError("unauthenticated", "auth header missing");
  if (!/^bearer +\S+$/i.test(header)) throw new Refusal("unauthenticated", "invalid auth header", "AUTH-toLo1");
  const grant = grantOf(header, gate);
  if (grant === undefined) throw new Refusal("unauthenticated", "Errors.Token.Invalid", "AUTH-7fs1e");
  if (grant.issued === true && !gate.traits.takesClientCredentialTokens) {
    throw new Refusal("permissionDenied", "could not read projectid by clientid", "AUTH-GHpw2");
  }
  return grant;
}

/** Raises Refusal 404 for a caller without any role (service behaviour 0.18) and 403 for a caller without the permission. */
export function authorize(caller: Caller, permission: Permission, refusalId = "AUTH-5mWD2"): void {
  if (caller.roles.length === 0) throw new Refusal("notFound", "membership not found", "AUTHZ-cdgFk");
  if (!may(caller, permission)) throw new Refusal("permissionDenied", "No matching permissions found", refusalId);
}

/** The permissions of the caller that the mock knows. */
export function permissionsOf(caller: Caller): string[] {
  const all = Object.keys(rolesOf) as Permission[]; // the keys of its type
  return all.filter((permission) => may(caller, permission));
}

export function may({ roles }: Caller, permission: Permission): boolean {
  return roles.some((role) => rolesOf[permission].includes(role));
}

/** The grant of a valid bearer header, or undefined. */
export function grantOf(header: string, { grants, now }: Gate): IssuedGrant | undefined {
  const token = /^bearer +(\S+)$/i.exec(header)?.[1];
  const grant = token === undefined ? undefined : grants.get(token);
  if (grant === undefined || grant.audience === false) return undefined;
  return grant.expiresAt !== undefined && grant.expiresAt <= now() ? undefined : grant;
}
