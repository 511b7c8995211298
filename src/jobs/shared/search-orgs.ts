import { withRetry } from "../../admin/with-retry.ts";
import { ProblemError } from "../../problem.ts";
import type { Asking } from "./asking.ts";
import { isNotTold } from "./not-offered.ts";

const PAGE = 1_000;

/**
 * The organizations that the target's search finds, id → name; undefined if the target does not offer the search. A new organization may
 * be missing.
 */
export async function searchOrgs({ api, retry, signal }: Asking): Promise<ReadonlyMap<string, string> | undefined> {
  const orgs = new Map<string, string>();
  try {
    for (let offset = 0; ; offset += PAGE) {
      const query = { offset: String(offset), limit: PAGE, asc: true };
      const { result } = await withRetry(() => api.searchOrgs({ query }, signal), retry, signal);
      const before = orgs.size;
      for (const { id, name = "" } of result) orgs.set(id, name);
      // A server that repeats a page has no further one.
      if (result.length < PAGE || orgs.size === before) return orgs;
    }
  } catch (error) {
    if (error instanceof ProblemError && !isNotTold(error.problem.code)) throw error;
    return undefined; // the answer is no list of organizations
  }
}
