import { Refusal } from "./answer.ts";

/** Roles that mean something to the administration API (service behaviour 1.1, 1.7, 1.8). */
export type Permission = "iam.write" | "iam.read" | "events.read";

const rolesOf: Readonly<Record<Permission, readonly string[]>> = {
  "iam.write": ["IAM_OWNER"],
  "iam.read": ["IAM_OWNER", "IAM_OWNER_VIEWER"],
  "events.read": ["IAM_OWNER", "IAM_OWNER_VIEWER"],
};

/** Who a token belongs to and what it may do. */
export interface Grant {
  readonly userId: string;
  readonly roles: readonly string[];
  /** Absent: it does not expire. */
  readonly expiresAt?: Date;
  /** false: issued without the audience of the administration API (service behaviour 7). */
  readonly audience?: boolean;
}

export interface Caller {
  readonly userId: string;
}

/**
 * Checks the header before anything of the body is looked at (service behaviour 2.8). Raises Refusal 401 for a missing, unknown
 * or expired token and 403 for one without the role.
 */
export function authorize(
  header: string | undefined,
  permission: Permission,
  { grants, now }: { grants: ReadonlyMap<string, Grant>; now: Date },
): Caller {
  if (header === undefined || header === "") throw new Refusal("unauthenticated", "auth header missing");
  const grant = grantOf(header, grants, now);
  if (grant === undefined) throw new Refusal("unauthenticated", "Errors.Token.Invalid", "AUTH-7fs1e");
  if (!grant.roles.some((role) => rolesOf[permission].includes(role))) {
    throw new Refusal("permissionDenied", "No matching permissions found", "AUTH-5mWD2");
  }
  return { userId: grant.userId };
}

/** The grant of a valid bearer header, or undefined. */
export function grantOf(header: string, grants: ReadonlyMap<string, Grant>, now: Date): Grant | undefined {
  const token = /^bearer +(\S+)$/i.exec(header)?.[1];
  const grant = token === undefined ? undefined : grants.get(token);
  if (grant === undefined || grant.audience === false) return undefined;
  return grant.expiresAt !== undefined && grant.expiresAt <= now ? undefined : grant;
}
