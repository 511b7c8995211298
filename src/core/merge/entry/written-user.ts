import type { MergeJob } from "../merge-job.ts";
import type { SourceUser } from "../source-user.ts";
import { projectGrantId } from "./entry-layout.ts";

/** The user as it is written; the very same where nothing of it changes, which is how nearly all are. */
export function writtenUser(
  user: SourceUser,
  hash: string | undefined,
  isEmailVerified: boolean,
  { orgs, mainOrg, readers: { projects = [] } }: Pick<MergeJob, "orgs" | "mainOrg" | "readers">,
): SourceUser {
  const isSame = user.hash === hash && user.isEmailVerified === isEmailVerified;
  if (isSame && user.orgId === undefined && user.orgName === undefined) return user;
  const { hash: _, orgId, orgName, ...rest } = user;
  const org = orgOf(orgId, orgName, orgs);
  const written = { ...rest, ...(hash === undefined ? {} : { hash }), isEmailVerified, ...org };
  if (user.grants === undefined || org.orgId === undefined || org.orgId === mainOrg) return written;
  const { orgId: id } = org;
  // The projects of the body belong to the main organization, which grants them to the others.
  const grants = user.grants.map((grant) =>
    projects.some((project) => project.id === grant.projectId)
      ? { ...grant, projectGrantId: projectGrantId(grant.projectId, id) }
      : grant,
  );
  return { ...written, grants };
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
