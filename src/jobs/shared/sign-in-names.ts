import type { AdminApi } from "../../admin/client.ts";
import { type RetryContext, withRetry } from "../../admin/with-retry.ts";
import type { Context } from "../../context.ts";
import type { UserCondition, UserSearchResult } from "../../contract/user-search.ts";
import { describe } from "../../problem/describe.ts";
import { ProblemError } from "../../problem.ts";
import { signInsUnknownLine } from "../../ui/summary/sign-ins.ts";
import type { Ui } from "../../ui/ui.ts";
import { createRetry } from "./create-retry.ts";
import { ifOffered } from "./not-offered.ts";
import { withProgress } from "./with-progress.ts";

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

/** Users who exist and cannot sign in. */
export interface SignInTrouble {
  readonly nameless: readonly Nameless[];
  /** How many more are not listed at all. */
  readonly unlisted: number;
}

/**
 * Who of some organizations cannot sign in, when at least so many users are expected to be there. That nobody knows is said, and is undefined;
 * how many are not listed is not known either where an organization has no id of its own yet. Raises run.aborted.
 */
export async function lookAtSignIns(
  { api, context, ui }: { readonly api: AdminApi; readonly context: Context; readonly ui: Ui },
  orgs: readonly { readonly orgId: string }[],
  users: number,
): Promise<SignInTrouble | undefined> {
  const orgIds = [...new Set(orgs.map(({ orgId }) => orgId).filter((id) => id !== ""))];
  if (orgIds.length === 0) return undefined;
  const expected = orgs.every(({ orgId }) => orgId !== "") ? users : 0;
  const asking = { api, retry: createRetry(ui, context), signal: context.signal };
  const isWhole = ({ nameless, listed }: Listing): boolean => nameless.length === 0 && listed >= expected;
  try {
    const listing = await withProgress(ui, "looking whether everybody can sign in", () =>
      settledListing(asking, orgIds, isWhole),
    );
    if (listing === undefined) return undefined;
    return { nameless: listing.nameless, unlisted: Math.max(0, expected - listing.listed) };
  } catch (error) {
    // Nobody asked for this: only an interrupt, or a bug, ends the run.
    if (!(error instanceof ProblemError) || error.problem.code === "run.aborted") throw error;
    ui.warn(signInsUnknownLine(describe(error.problem).message));
    return undefined;
  }
}

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
  const read = (): Promise<Listing | undefined> => ifOffered(() => readListing(asking, orgIds));
  let [listing, same] = [await read(), 1];
  for (let asked = 0; asked < MOST; asked += 1) {
    if (listing === undefined || isWhole(listing) || same === SAME) return listing;
    await asking.retry.sleep(Math.min(MAX_PAUSE_MS, 1_000 * 2 ** asked), asking.signal);
    const next = await read();
    const isSame = next?.listed === listing.listed && next.nameless.length === listing.nameless.length;
    [listing, same] = [next, isSame ? same + 1 : 1];
  }
  return listing;
}

async function readListing(asking: ListAsking, orgIds: readonly string[]): Promise<Listing> {
  const nameless: Nameless[] = [];
  let listed = 0;
  for (let at = 0; at < orgIds.length; at += ORGS) {
    const inOrgs = anyOf(
      orgIds.slice(at, at + ORGS).map((organizationId) => ({ organizationIdQuery: { organizationId } })),
    );
    const queries = [inOrgs, { typeQuery: { type: "TYPE_HUMAN" } } as const];
    listed += (await search(asking, queries, { offset: 0, limit: 1 })).details.totalResult;
    nameless.push(...(await readNameless(asking, queries)));
  }
  return { nameless, listed };
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

/** A list of very many users may take longer than any call: that is not tried again. */
async function search(
  { api, retry, signal }: ListAsking,
  queries: readonly UserCondition[],
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<UserSearchResult> {
  const query = { offset: String(offset), limit };
  const ask = (): Promise<UserSearchResult | ProblemError> =>
    api.searchUsers({ query, queries }, signal).catch((error: unknown) => {
      if (error instanceof ProblemError && error.problem.code === "net.timeout") return error;
      throw error;
    });
  const answer = await withRetry(ask, retry, signal);
  if (answer instanceof ProblemError) throw answer;
  return answer;
}

function anyOf(queries: readonly UserCondition[]): UserCondition {
  return { orQuery: { queries } };
}
