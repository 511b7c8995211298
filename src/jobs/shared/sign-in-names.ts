import type { AdminApi } from "../../admin/client.ts";
import { type RetryContext, withRetry } from "../../admin/with-retry.ts";
import type { UserCondition } from "../../contract/user-search.ts";
import { ProblemError } from "../../problem.ts";
import { isNotTold } from "./not-offered.ts";

/** A user whom the service lists without a login name. */
export interface Nameless {
  readonly userId: string;
  readonly orgId: string;
}

/** What the service's list of human users says. */
export interface Listing {
  /** Who is listed and cannot sign in. */
  readonly nameless: readonly Nameless[];
  /** How many are listed. */
  readonly listed: number;
}

/** How the list is asked for. */
export interface ListAsking {
  readonly api: Pick<AdminApi, "searchUsers">;
  readonly retry: RetryContext;
  readonly signal: AbortSignal;
}

const PAGE = 1_000;
/** Organizations that one question is about. */
const ORGS = 20;
/**
 * Every login name has one of these, save those in other scripts that have no "@" either. The service takes no empty text, and no pattern,
 * for "any name"; whoever is found and has a name all the same is left out here. What most names have comes first.
 */
const LETTERS = "@.aeiouy0123456789-_bcdfghjklmnpqrstvwxz+";
/** A list that lags behind changes: it is taken as it is once it has been the same three times, or after that many questions. */
const SAME = 3;
const MOST = 200;
const MAX_PAUSE_MS = 8_000;

/**
 * What the list says of some organizations when it has come to rest, or as soon as it `isWhole`: calls that write at the same time make the
 * service forget somebody now and then, who exists and can never sign in (service behaviour 0.41). Undefined where the instance does not
 * tell. Raises net.*, auth.refused and run.aborted.
 */
export async function settledListing(
  asking: ListAsking,
  orgIds: readonly string[],
  isWhole: (listing: Listing) => boolean,
): Promise<Listing | undefined> {
  let [listing, same] = [await readListing(asking, orgIds), 1];
  for (let asked = 0; asked < MOST; asked += 1) {
    if (listing === undefined || isWhole(listing) || same === SAME) return listing;
    await asking.retry.sleep(Math.min(MAX_PAUSE_MS, 1_000 * 2 ** asked), asking.signal);
    const next = await readListing(asking, orgIds);
    const isSame = next?.listed === listing.listed && next.nameless.length === listing.nameless.length;
    [listing, same] = [next, isSame ? same + 1 : 1];
  }
  return listing;
}

async function readListing(asking: ListAsking, orgIds: readonly string[]): Promise<Listing | undefined> {
  const nameless: Nameless[] = [];
  let listed = 0;
  try {
    for (let at = 0; at < orgIds.length; at += ORGS) {
      const inOrgs = anyOf(
        orgIds.slice(at, at + ORGS).map((organizationId) => ({ organizationIdQuery: { organizationId } })),
      );
      const queries = [inOrgs, { typeQuery: { type: "TYPE_HUMAN" } } as const];
      listed += (await search(asking, queries, { offset: 0, limit: 1 })).details.totalResult;
      nameless.push(...(await readNameless(asking, queries)));
    }
    return { nameless, listed };
  } catch (error) {
    if (error instanceof ProblemError && isNotTold(error.problem.code)) return undefined;
    throw error;
  }
}

async function readNameless(asking: ListAsking, queries: readonly UserCondition[]): Promise<Nameless[]> {
  const named = anyOf(
    [...LETTERS].map((loginName) => ({
      loginNameQuery: { loginName, method: "TEXT_QUERY_METHOD_CONTAINS_IGNORE_CASE" },
    })),
  );
  const found: Nameless[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const page = [...queries, { notQuery: { query: named } }];
    const { result } = await search(asking, page, { offset, limit: PAGE });
    for (const { userId, details, preferredLoginName } of result) {
      if (preferredLoginName === "") found.push({ userId, orgId: details.resourceOwner });
    }
    if (result.length < PAGE) return found;
  }
}

function search(
  { api, retry, signal }: ListAsking,
  queries: readonly UserCondition[],
  { offset, limit }: { readonly offset: number; readonly limit: number },
): ReturnType<AdminApi["searchUsers"]> {
  const query = { offset: String(offset), limit };
  return withRetry(() => api.searchUsers({ query, queries }, signal), retry, signal);
}

function anyOf(queries: readonly UserCondition[]): UserCondition {
  return { orQuery: { queries } };
}
