import type { AdminApi } from "../../admin/client.ts";
import { readInstanceVersion } from "../../admin/version.ts";
import { withRetry } from "../../admin/with-retry.ts";
import type { UserCondition, UserSearchResult } from "../../contract/users.ts";
import { describe } from "../../problem/describe.ts";
import { LISTED } from "../../problem/format.ts";
import { ProblemError } from "../../problem.ts";
import type { Report } from "../../ui/report.ts";
import { cannotSignInLines, signInsUnknownLine } from "../../ui/summary/sign-ins.ts";
import { type Asking, askingOf, type CallWorld } from "./asking.ts";
import { ifOffered, mayBeAnsweredLater } from "./not-offered.ts";
import { withProgress } from "./with-progress.ts";

/** A user that the service lists without a login name. */
export interface Nameless {
  readonly userId: string;
  readonly orgId: string;
}

/** The ids of users who exist and must be listed; read more than once. */
export type UserIds = () => AsyncIterable<string>;

/** What the service's list of human users says. */
export interface Listing {
  /** Listed users who cannot sign in. */
  readonly nameless: readonly Nameless[];
  /** How many users are listed. */
  readonly listed: number;
  /** How many of the users who must be listed are not. */
  readonly missing: number;
}

/** What the calls for the list need. */
export type ListAsking = Omit<Asking, "api"> & { readonly api: Pick<AdminApi, "searchUsers"> };

const PAGE = 1_000;
/** Organizations per call. */
const ORGS = 20;
/** Ids per call (service behaviour 9.15). */
const IDS = 1_000;
/** Of this many ids at most, the listed ones are read: a row of an answer takes some milliseconds (service behaviour 0.41). */
const ROWS = 100;
/**
 * Every login name has one of these characters, except names in other scripts without "@". The service takes no empty text and no pattern
 * for "any name". Found users who have a name are skipped. The most frequent characters come first.
 */
const LETTERS = "@.aeiouy0123456789-_bcdfghjklmnpqrstvwxz+";
/** The list may lag behind: it counts once it was the same for this long, and for half of the wait; or after `MOST` looks. */
const SAME_MS = 3_000;
const MOST = 200;
/** While the list changes, the pause between two looks is a tenth of the wait, within these limits. It doubles while it does not. */
const MIN_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 8_000;

/** Users who exist and cannot sign in. */
export interface SignInTrouble {
  readonly nameless: readonly Nameless[];
  /** The ids of users who are not listed at all. */
  readonly unlisted: readonly string[];
}

/**
 * Finds the users of some organizations who cannot sign in, and which of the users `ids` are in no list. undefined if the instance cannot
 * be asked, which is reported. Raises run.aborted, and what may be answered later.
 */
export async function findSignInTrouble(
  run: CallWorld,
  orgs: readonly { readonly orgId: string }[],
  ids: UserIds,
): Promise<SignInTrouble | undefined> {
  const orgIds = [...new Set(orgs.map(({ orgId }) => orgId).filter((id) => id !== ""))];
  if (orgIds.length === 0) return undefined;
  const asking = askingOf(run);
  const { ui } = run;
  try {
    return await withProgress(ui, "checking that all users can sign in", async () => {
      const listing = await settledListing(asking, orgIds, ids);
      if (listing === undefined) return undefined;
      const { nameless, missing } = listing;
      return { nameless, unlisted: missing === 0 ? [] : await findUnlisted(asking, ids) };
    });
  } catch (error) {
    const isAborted = error instanceof ProblemError && error.problem.code === "run.aborted";
    if (!(error instanceof ProblemError) || isAborted || mayBeAnsweredLater(error)) throw error;
    ui.warn(signInsUnknownLine(describe(error.problem).message));
    return undefined;
  }
}

/**
 * Reports users who cannot sign in: those of `ours` without a login name, and those of `ids` who are in no list. `write` writes a file of
 * them and returns its path. `isOnlyFault`: nothing else is wrong. True if all can sign in, or the instance does not offer its list; false if it
 * offers the list and fails to answer.
 */
export async function reportSignIns(
  run: CallWorld & { readonly report: Report },
  orgs: readonly { readonly orgId: string }[],
  { ids: listed, ours, write, isOnlyFault }: SignInReport,
): Promise<boolean> {
  const { ui, report } = run;
  let trouble: SignInTrouble | undefined;
  try {
    trouble = await findSignInTrouble(run, orgs, listed);
  } catch (error) {
    if (!(error instanceof ProblemError) || !mayBeAnsweredLater(error)) throw error;
    const line = signInsUnknownLine(describe(error.problem).message);
    ui.warn(line);
    if (isOnlyFault) report.why(line);
    return false;
  }
  if (trouble === undefined) return true;
  const all = new Set([...trouble.nameless.map(({ userId }) => userId), ...trouble.unlisted]);
  const ids = all.size === 0 ? [] : await ours(all);
  const unlisted = trouble.unlisted.length;
  const count = ids.length;
  report.set({ cannotSignIn: ids.slice(0, LISTED), cannotSignInCount: count });
  if (count === 0) return true;
  const file = ids.length === 0 ? undefined : await write?.();
  if (file !== undefined) report.set({ cannotSignInFile: file });
  const version = await readInstanceVersion(run.api, run.context.signal);
  if (version !== undefined) report.set({ targetVersion: version });
  const lines = cannotSignInLines({ ids, unlisted, file, version });
  for (const line of lines) ui.warn(line);
  if (isOnlyFault) report.why(lines[0] ?? "");
  return false;
}

interface SignInReport {
  readonly ids: UserIds;
  /** The ids among these that are the run's. */
  ours(ids: ReadonlySet<string>): Promise<readonly string[]>;
  write?(): Promise<string | undefined>;
  readonly isOnlyFault: boolean;
}

/**
 * The list of users when it does not change any more, or as soon as it lacks no user of `ids` and no login name. Concurrent writes leave some users without a login name,
 * who can never sign in (service behaviour 0.41). undefined if the instance cannot be asked. Raises net.*, auth.refused, run.aborted.
 */
export async function settledListing(
  asking: ListAsking,
  orgIds: readonly string[],
  ids: UserIds,
): Promise<Listing | undefined> {
  const read = (): Promise<Listing | undefined> =>
    ifOffered(() => readListing(asking, orgIds, ids), mayBeAnsweredLater);
  const isWhole = ({ nameless, missing }: Listing): boolean => nameless.length === 0 && missing === 0;
  let listing = await read();
  let [waitedMs, sameMs] = [0, 0];
  for (let asked = 0; asked < MOST; asked += 1) {
    if (listing === undefined || isWhole(listing) || sameMs >= Math.max(SAME_MS, waitedMs / 2)) return listing;
    const pauseMs = Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, waitedMs / 10, 2 * sameMs));
    await asking.retry.sleep(pauseMs, asking.signal);
    const next = await read();
    const isSame =
      next?.listed === listing.listed &&
      next.missing === listing.missing &&
      next.nameless.length === listing.nameless.length;
    waitedMs += pauseMs;
    sameMs = isSame ? sameMs + pauseMs : 0;
    listing = next;
  }
  return listing;
}

async function readListing(asking: ListAsking, orgIds: readonly string[], ids: UserIds): Promise<Listing> {
  const nameless: Nameless[] = [];
  let listed = 0;
  for (let at = 0; at < orgIds.length; at += ORGS) {
    const inOrgs = anyOf(
      orgIds.slice(at, at + ORGS).map((organizationId) => ({ organizationIdQuery: { organizationId } })),
    );
    const queries = [inOrgs, { typeQuery: { type: "TYPE_HUMAN" } } as const];
    listed += (await searchFor(asking, queries, { offset: 0, limit: 1 })).details.totalResult;
    nameless.push(...(await readNameless(asking, queries)));
  }
  let missing = 0;
  for await (const chunk of inChunks(ids())) missing += chunk.length - (await countListed(asking, chunk));
  return { nameless, listed, missing };
}

/** The users of `ids` who are in no list. */
async function findUnlisted(asking: ListAsking, ids: UserIds): Promise<readonly string[]> {
  const unlisted: string[] = [];
  const search = async (chunk: readonly string[]): Promise<void> => {
    const listed = await countListed(asking, chunk);
    if (listed === chunk.length) return;
    if (listed === 0) unlisted.push(...chunk);
    else if (chunk.length <= ROWS) {
      const found = await searchFor(asking, [ofIds(chunk)], { offset: 0, limit: ROWS });
      const known = new Set(found.result.map(({ userId }) => userId));
      unlisted.push(...chunk.filter((id) => !known.has(id)));
    } else {
      const middle = Math.ceil(chunk.length / 2);
      await search(chunk.slice(0, middle));
      await search(chunk.slice(middle));
    }
  };
  for await (const chunk of inChunks(ids())) await search(chunk);
  return unlisted;
}

async function countListed(asking: ListAsking, ids: readonly string[]): Promise<number> {
  return (await searchFor(asking, [ofIds(ids)], { offset: 0, limit: 1 })).details.totalResult;
}

function ofIds(userIds: readonly string[]): UserCondition {
  return { inUserIdsQuery: { userIds } };
}

/** Portions of different ids. */
async function* inChunks(ids: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
  const chunk = new Set<string>();
  for await (const id of ids) {
    if (id !== "") chunk.add(id);
    if (chunk.size < IDS) continue;
    yield [...chunk];
    chunk.clear();
  }
  if (chunk.size > 0) yield [...chunk];
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
    const { result } = await searchFor(asking, page, { offset, limit: PAGE });
    for (const { userId, details, preferredLoginName } of result) {
      if (preferredLoginName === "") found.push({ userId, orgId: details.resourceOwner });
    }
    if (result.length < PAGE) return found;
  }
}

/** A long list may take longer than a call may: a time-out is not retried. */
async function searchFor(
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
