import type { AdminApi } from "../../admin/client.ts";
import { type RetryContext, withRetry } from "../../admin/with-retry.ts";
import { ProblemError } from "../../problem.ts";
import { notOffered } from "../shared/not-offered.ts";
import type { SelectionFlags } from "./request.ts";

const PAGE = 1_000;
const REMOVED = "ORG_STATE_REMOVED";

/**
 * The ids that the request names: those asked for, each once, and none for all. Organizations are left out by naming all others, since
 * naming one to be left out ends a 4.x service's process (service behaviour 0.16): where they cannot be listed, nothing is asked for.
 * Raises api.cannot-exclude, api.no-orgs.
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
    wanted.length > 0 ? wanted : await listOrgs(api, retry, signal).catch((error) => cannotExclude(api, error));
  const excluded = new Set(excludeOrgId);
  const left = all.filter((id) => !excluded.has(id));
  if (left.length === 0) throw new ProblemError({ code: "api.no-orgs", host: api.address.host });
  return left;
}

/** The ids of all organizations of an instance, as its search gives them: a new one may be missing for a moment. */
async function listOrgs(api: AdminApi, retry: RetryContext, signal: AbortSignal): Promise<readonly string[]> {
  const ids = new Set<string>();
  for (let offset = 0; ; ) {
    const query = { offset: String(offset), limit: PAGE, asc: true };
    const { result } = await withRetry(() => api.searchOrgs({ query }, signal), retry, signal);
    const before = ids.size;
    for (const { id, state } of result) if (state !== REMOVED) ids.add(id);
    offset += result.length;
    // A server that gives the same page again has no further one.
    if (result.length < PAGE || ids.size === before) return [...ids];
  }
}

function cannotExclude({ address }: AdminApi, error: unknown): never {
  const problem = notOffered(error);
  if (problem === undefined) throw error;
  throw new ProblemError({ code: "api.cannot-exclude", host: address.host, why: problem.code }, { cause: error });
}
