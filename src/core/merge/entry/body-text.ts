// What stands around the entries of a generated body (spec: Import body for users).

/** How every body begins, whatever it is for. */
export const BODY_BEGIN = '{"dataOrgs":{"orgs":[{"orgId":';

/** Begins the body with its first organization. */
export function bodyHead(orgId: string): string {
  return `${BODY_BEGIN}${JSON.stringify(orgId)},"humanUsers":[`;
}

/** Ends an organization's users and begins their metadata. */
export const METADATA_BEGIN = '\n],"userMetadata":[';

/** Ends an organization's list and begins the next organization. */
export function nextOrg(orgId: string): string {
  return `\n]},\n{"orgId":${JSON.stringify(orgId)},"humanUsers":[`;
}

/** Ends the last list and the body; the timeout is passed on verbatim. */
export function bodyTail(timeout: string): string {
  return `\n]}]},"timeout":${JSON.stringify(timeout)}}\n`;
}
