import { newestEvent, readViews } from "../../../admin/events.ts";
import { withRetry } from "../../../admin/with-retry.ts";
import type { View } from "../../../contract/events.ts";
import { lifeEvents } from "../../../core/events/user-life.ts";
import type { Asking } from "../../shared/asking.ts";
import { isUpTo } from "../../shared/lists.ts";
import { findSignInTrouble, type UserIds } from "../../shared/sign-in-names.ts";
import type { ImportRun } from "../import-run.ts";

/** The lists that decide whether a user can sign in (service behaviour 9.15). */
const SIGN_IN_LISTS = ["login names", "users"] as const;
/** Lists were seen to be 57 s behind on a running service. */
const MOST_MS = 120_000;
const LOOK_MS = 2_000;
/** Between the two looks that must agree. */
const BETWEEN_LOOKS_MS = 5_000;

/**
 * The users of a job who cannot sign in and never will: the lists have read the log beyond their creation, and two looks with time between
 * them found them without a login name. Empty if the lists are only slow, or if the instance does not say how far they are. Raises what
 * reading events raises.
 */
export async function findLost(
  run: Pick<ImportRun, "api" | "context" | "ui">,
  asking: Asking,
  orgs: readonly { readonly orgId: string }[],
  ids: UserIds,
): Promise<ReadonlySet<string>> {
  const first = await look(run, orgs, ids);
  if (first.size === 0 || !(await areListsComplete(asking))) return new Set();
  await asking.retry.sleep(BETWEEN_LOOKS_MS, asking.signal);
  const second = await look(run, orgs, ids);
  return new Set([...first].filter((id) => second.has(id)));
}

/** The users of `ids` without a login name, or in no list. */
async function look(
  run: Pick<ImportRun, "api" | "context" | "ui">,
  orgs: readonly { readonly orgId: string }[],
  ids: UserIds,
): Promise<ReadonlySet<string>> {
  const trouble = await findSignInTrouble(run, orgs, ids);
  if (trouble === undefined) return new Set();
  const found = new Set([...trouble.nameless.map(({ userId }) => userId), ...trouble.unlisted]);
  const ours = new Set<string>();
  if (found.size > 0) for await (const id of ids()) if (found.has(id)) ours.add(id);
  return ours;
}

/** True as soon as the lists have read the newest creation or removal of a user that the log has now. */
async function areListsComplete({ api, retry, signal }: Asking): Promise<boolean> {
  const newest = await withRetry(() => newestEvent(api, signal, { event_types: [...lifeEvents] }), retry, signal);
  if (newest === undefined) return false;
  for (let waitedMs = 0; waitedMs <= MOST_MS; waitedMs += LOOK_MS) {
    if (waitedMs > 0) await retry.sleep(LOOK_MS, signal);
    if (areListsUpTo(newest.creationDate, await withRetry(() => readViews(api, signal), retry, signal))) return true;
  }
  return false;
}

/** True if the lists of users and of login names have read the event of this creation date. */
function areListsUpTo(creationDate: string, views: readonly View[]): boolean {
  return SIGN_IN_LISTS.every((name) => isUpTo(name, creationDate, views) === true);
}
