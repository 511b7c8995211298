import { withRetry } from "../../admin/with-retry.ts";
import type { Report } from "../../ui/report.ts";
import { askingOf, type CallWorld } from "./asking.ts";
import { ifOffered } from "./not-offered.ts";

/** As many users of the target get a name: the reading of a row takes the service some milliseconds (service behaviour 0.41). */
const NAMED = 100;

/**
 * Adds the login names of users that only the target has to `report.targetNames`, of the first users. It is for people only, so an instance
 * that lists no users is no problem. Raises run.aborted.
 */
export async function addTargetNames(
  run: CallWorld & { readonly report: Report },
  ids: readonly string[],
): Promise<void> {
  const userIds = ids.slice(0, NAMED);
  if (userIds.length === 0) return;
  const { api, retry, signal } = askingOf(run);
  const search = { query: { offset: "0", limit: userIds.length }, queries: [{ inUserIdsQuery: { userIds } }] };
  const found = await ifOffered(() => withRetry(() => api.searchUsers(search, signal), retry, signal));
  for (const { userId, preferredLoginName } of found?.result ?? []) {
    if (preferredLoginName !== "") run.report.targetNames?.set(userId, preferredLoginName);
  }
}
