// What stands around the entries of a generated body (spec: Import body for users).

/** The beginning of every body. */
export const BODY_BEGIN = '{"dataOrgs":{"orgs":[{"orgId":';

/** Begins the body with its first organization. */
export function bodyHead(orgId: string): string {
  return `${BODY_BEGIN}${JSON.stringify(orgId)},"humanUsers":[`;
}

/** Ends an organization's last list and begins another. */
export function nextList(name: string): string {
  return `\n],${JSON.stringify(name)}:[`;
}

/** Ends an organization's list and begins the next organization. */
export function nextOrg(orgId: string): string {
  return `\n]},\n{"orgId":${JSON.stringify(orgId)},"humanUsers":[`;
}

/** Ends the last list and the body; the timeout is passed on verbatim. */
export function bodyTail(timeout: string): string {
  return `\n]}]},"timeout":${JSON.stringify(timeout)}}\n`;
}
