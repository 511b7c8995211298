import type { ScanCounts } from "../../core/document/scan-types.ts";
import type { Way } from "../../core/rules/route.ts";
import type { ImportNumbers } from "../../ui/import-summary.ts";
import type { JobProgress } from "./progress.ts";

/** The numbers of a job that has sent nothing. */
export function numbersBefore({ users: read, invalidUsers: skipped }: ScanCounts): ImportNumbers {
  const none = { sent: 0, created: 0, alreadyThere: 0, failed: 0, unknown: 0 };
  return { ...none, read, notSent: read - skipped, skipped };
}

/** The numbers of a job as far as it is. */
export function numbersOf({ users: read, invalidUsers: skipped }: ScanCounts, progress: JobProgress): ImportNumbers {
  const { state, inFlight } = progress;
  const { settled, created, alreadyThere, failed } = state.users;
  const sent = settled + inFlight.size;
  const unknown = state.unknown.length + inFlight.size;
  return { read, sent, created, alreadyThere, failed, unknown, notSent: read - sent - skipped, skipped };
}

/** Ids of users whose outcome is open. */
export function unknownIds({ state, inFlight }: JobProgress): string[] {
  return [...state.unknown, ...[...inFlight.values()].map(({ id }) => id)];
}

/** How many users went which way. */
export function viaOf({ state, inFlight }: JobProgress): Readonly<Record<Way, number>> {
  const via = { ...state.via };
  for (const { way } of inFlight.values()) via[way] += 1;
  return via;
}

/** True when everything that was to be done is done. */
export function gotThrough({ state }: JobProgress, { unknown, skipped }: ImportNumbers): boolean {
  return state.failed === 0 && state.open.length === 0 && unknown === 0 && skipped === 0;
}
