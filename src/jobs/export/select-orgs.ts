import type { AdminApi } from "../../admin/client.ts";
import { type RetryContext, withRetry } from "../../admin/with-retry.ts";
import { ProblemError } from "../../problem.ts";
import { notOffered } from "../shared/not-offered.ts";
import type { SelectionFlags } from "./request.ts";

const PAGE = 1_000;
const REMOVED = "ORG_STATE_REMOVED";

/** An organization as the search lists it. */
export interface FoundOrg {
  readonly id: string;
  readonly name: string;
  readonly state: string;
}

/**
 * The ids for the request: the selected ones, each once, or none for all. To exclude organizations, the request lists all others, since
 * excluding one in the request ends the process of a 4.x service (service behaviour 0.16). Raises api.cannot-exclude if they cannot be
 * listed, and api.no-orgs.
 */
export async function selectOrgs(
  api: AdminApi,
  { orgId, excludeOrgId }: Pick<SelectionFlags, "orgId" | "excludeOrgId">,
  retry: RetryContext,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const wanted = [...new Set(orgId)];
  if (excludeOrgId.length === 0) return wanted;
  const all =
    wanted.length > 0 ? wanted : await listOrgIds(api, retry, signal).catch((error) => cannotExclude(api, error));
  const excluded = new Set(excludeOrgId);
  const left = all.filter((id) => !excluded.has(id));
  if (left.length === 0) throw new ProblemError({ code: "api.no-orgs", host: api.address.host });
  return left;
}

async function listOrgIds(api: AdminApi, retry: RetryContext, signal: AbortSignal): Promise<readonly string[]> {
  return (await listOrgs(api, retry, signal)).map(({ id }) => id);
}

/** All organizations of an instance, by its search: a new organization may be missing for a moment. */
export async function listOrgs(api: AdminApi, retry: RetryContext, signal: AbortSignal): Promise<readonly FoundOrg[]> {
  const orgs = new Map<string, FoundOrg>();
  for (let offset = 0; ; ) {
    const query = { offset: String(offset), limit: PAGE, asc: true };
    const { result } = await withRetry(() => api.searchOrgs({ query }, signal), retry, signal);
    const before = orgs.size;
    for (const { id, name = "", state } of result) if (state !== REMOVED) orgs.set(id, { id, name, state });
    offset += result.length;
    // A server that repeats a page has no further one.
    if (result.length < PAGE || orgs.size === before) return [...orgs.values()];
  }
}

function cannotExclude({ address }: AdminApi, error: unknown): never {
  const problem = notOffered(error);
  if (problem === undefined) throw error;
  throw new ProblemError({ code: "api.cannot-exclude", host: address.host, why: problem.code }, { cause: error });
}
