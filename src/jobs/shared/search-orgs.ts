import { withRetry } from "../../admin/with-retry.ts";
import { ProblemError } from "../../problem.ts";
import type { Asking } from "./asking.ts";
import { isNotTold } from "./not-offered.ts";

const PAGE = 1_000;

/** An organization as the search lists it. */
export interface FoundOrg {
  readonly id: string;
  readonly name: string;
  readonly state: string;
}

/** All organizations of an instance, also deleted ones, by its search: a new organization may be missing for a moment. */
export async function listOrgs({ api, retry, signal }: Asking): Promise<readonly FoundOrg[]> {
  const orgs = new Map<string, FoundOrg>();
  for (let offset = 0; ; ) {
    const query = { offset: String(offset), limit: PAGE, asc: true };
    const { result } = await withRetry(() => api.searchOrgs({ query }, signal), retry, signal);
    const before = orgs.size;
    for (const { id, name = "", state } of result) orgs.set(id, { id, name, state });
    offset += result.length;
    // A server that repeats a page has no further one.
    if (result.length < PAGE || orgs.size === before) return [...orgs.values()];
  }
}

/** The organizations that the target's search finds, id → name; undefined if the target does not offer the search. */
export async function searchOrgs(asking: Asking): Promise<ReadonlyMap<string, string> | undefined> {
  try {
    return new Map((await listOrgs(asking)).map(({ id, name }) => [id, name]));
  } catch (error) {
    if (error instanceof ProblemError && !isNotTold(error.problem.code)) throw error;
    return undefined; // the answer is no list of organizations
  }
}
