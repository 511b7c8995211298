import type { OrgMap } from "../../core/document/org-map.ts";
import { ProblemError } from "../../problem.ts";
import type { Asking } from "../shared/asking.ts";
import { ifOffered, notOffered } from "../shared/not-offered.ts";
import { type FoundOrg, listOrgs } from "../shared/search-orgs.ts";
import type { SelectionFlags } from "./request.ts";

const REMOVED = "ORG_STATE_REMOVED";

/**
 * The ids for the request: the selected ones, each once, or none for all. To exclude organizations, the request lists all others, since
 * excluding one in the request ends the process of a 4.x service (service behaviour 0.16). Raises api.cannot-exclude if they cannot be
 * listed, and api.no-orgs.
 */
export async function selectOrgs(
  { orgId, excludeOrgId }: Pick<SelectionFlags, "orgId" | "excludeOrgId">,
  asking: Asking,
): Promise<readonly string[]> {
  const wanted = [...new Set(orgId)];
  if (excludeOrgId.length === 0) return wanted;
  const listed = wanted.length > 0 ? [] : await listLiving(asking).catch((error) => cannotExclude(asking, error));
  const all = [...wanted, ...listed.map(({ id }) => id)];
  const excluded = new Set(excludeOrgId);
  const left = all.filter((id) => !excluded.has(id));
  if (left.length === 0) throw new ProblemError({ code: "api.no-orgs", host: asking.api.address.host });
  return left;
}

/** The organizations of an instance that an export may have. */
export async function listLiving(asking: Asking): Promise<readonly FoundOrg[]> {
  return (await listOrgs(asking)).filter(({ state }) => state !== REMOVED);
}

/** The organizations that were deleted at the source and still exist on the target. Raises net.*, auth.refused. */
export async function findRemovedOrgs(
  removed: readonly string[],
  target: Asking,
  orgMap: OrgMap,
): Promise<readonly FoundOrg[]> {
  if (removed.length === 0) return [];
  const ids = new Set(removed.map((id) => orgMap.get(id) ?? id));
  return ((await ifOffered(() => listLiving(target))) ?? []).filter(({ id }) => ids.has(id));
}

function cannotExclude({ api: { address } }: Asking, error: unknown): never {
  const problem = notOffered(error);
  if (problem === undefined) throw error;
  throw new ProblemError({ code: "api.cannot-exclude", host: address.host, why: problem.code }, { cause: error });
}
