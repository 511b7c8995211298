import type { SourceUser } from "../source-user.ts";

/** The user as it is written; the very same where nothing of it changes, which is how nearly all are. */
export function writtenUser(
  user: SourceUser,
  hash: string | undefined,
  isEmailVerified: boolean,
  orgs: ReadonlyMap<string, string>,
): SourceUser {
  const isSame = user.hash === hash && user.isEmailVerified === isEmailVerified;
  if (isSame && user.orgId === undefined && user.orgName === undefined) return user;
  const { hash: _, orgId, orgName, ...rest } = user;
  return { ...rest, ...(hash === undefined ? {} : { hash }), isEmailVerified, ...orgOf(orgId, orgName, orgs) };
}

/** An id may be mapped, a name must be. */
function orgOf(
  orgId: string | undefined,
  orgName: string | undefined,
  orgs: ReadonlyMap<string, string>,
): { readonly orgId?: string } {
  const found = orgName === undefined ? orgId && (orgs.get(orgId) ?? orgId) : orgs.get(orgName);
  return found === undefined ? {} : { orgId: found };
}
