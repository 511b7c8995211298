import type { ScanCounts } from "../../../core/document/scan-types.ts";
import type { Way } from "../../../core/rules/route.ts";
import type { Preference } from "../../../core/update/plan-user.ts";
import type { UpdateResult } from "../../../core/update/update-result.ts";
import type { ImportNumbers } from "../../../ui/summary/import-summary.ts";
import type { JobProgress } from "../progress.ts";

/** The numbers of a job that has sent nothing. */
export function numbersBefore({ users: read, invalidUsers: skipped }: ScanCounts): ImportNumbers {
  const none = { sent: 0, created: 0, alreadyThere: 0, failed: 0, unknown: 0 };
  return { ...none, read, notSent: read - skipped, skipped };
}

/** The numbers of a job so far. */
export function numbersOf({ users: read, invalidUsers: skipped }: ScanCounts, progress: JobProgress): ImportNumbers {
  const { state, inFlight, updates } = progress;
  const { settled, created, alreadyThere, failed } = state.users;
  const unknown = state.unknown.length + inFlight.size;
  const kept = updates === undefined ? undefined : keptOf(updates);
  const sent = settled + inFlight.size + (kept?.updated ?? 0);
  const notSent = read - sent - skipped - (kept?.unchanged ?? 0) - (kept?.conflict ?? 0);
  return { read, sent, created, alreadyThere, failed, unknown, notSent, skipped, ...kept };
}

function keptOf({
  update,
  unchanged,
  conflict,
}: UpdateResult): Required<Pick<ImportNumbers, "updated" | "unchanged" | "conflict">> {
  return { updated: update.length, unchanged, conflict: conflict.length };
}

/** Ids of users with an unknown outcome. */
export function unknownIds({ state, inFlight }: JobProgress): string[] {
  return [...state.unknown, ...[...inFlight.values()].map(({ id }) => id)];
}

/** How many users were sent each way. */
export function viaOf({ state, inFlight }: JobProgress): Readonly<Record<Way, number>> {
  const via = { ...state.via };
  for (const { way } of inFlight.values()) via[way] += 1;
  return via;
}

/** True when an update leaves, or would leave, something undone. */
export function leavesSome({ conflict, tooMany, incomplete }: UpdateResult, prefer: Preference): boolean {
  return (prefer !== "target" && conflict.length > 0) || tooMany.length + incomplete.length > 0;
}

/** True when the job has done everything. A conflict is left undone, unless the target's values are preferred. */
export function gotThrough(
  { state, updates }: JobProgress,
  { unknown, skipped }: ImportNumbers,
  prefer: Preference = "none",
): boolean {
  const isLeft = updates !== undefined && leavesSome(updates, prefer);
  return state.failed === 0 && state.open.length === 0 && unknown === 0 && skipped === 0 && !isLeft;
}
