import { describe } from "../../problem/describe.ts";
import { count, counted } from "../../problem/format.ts";
import type { RunProblem } from "../../problem.ts";

/** `listed = removed + alreadyGone + kept + failed + unknown + toRemove`; of a run that got to its end, the last is 0. */
export interface UndoNumbers {
  readonly listed: number;
  readonly removed: number;
  /** Removed before this run, by an earlier one or by somebody else. */
  readonly alreadyGone: number;
  /** Left as they are, because somebody has used them since. */
  readonly kept: number;
  readonly failed: number;
  /** A call whose answer was lost may have removed them. */
  readonly unknown: number;
  /** Not reached. */
  readonly toRemove: number;
}

const reasons = {
  "password-changed": "the password was changed since",
  "signed-in": "somebody has signed in since, or begun to",
  "set-up": "the account was set up by its owner since",
  "made-anew": "removed since, and made anew by somebody else",
  "existed-before": "the user existed before the job, and was deleted and recreated since",
  "not-in-log": "the event log does not tell of its making, so what happened since is not known",
} as const;

/** Why a user stays, in words. */
export function describeKept(reason: string): string {
  return Object.hasOwn(reasons, reason) ? reasons[reason as keyof typeof reasons] : reason;
}

/** What will happen, before anything does. */
export function undoPlanLines(
  { listed, alreadyGone, kept, toRemove }: UndoNumbers,
  { others, withoutId }: { readonly others: Readonly<Record<string, number>>; readonly withoutId: number },
  host: string,
): string[] {
  const staying = Object.entries(others).map(([type, times]) => `${count(times)} ${type.replaceAll("_", " ")}`);
  return [
    `target:   ${host}`,
    `users:    ${count(listed)} in the manifest: ${count(toRemove)} to be removed, ${count(alreadyGone)} gone already, ${count(kept)} used since, who stay`,
    ...(staying.length === 0 ? [] : [`stays:    what else the job created: ${staying.join(", ")}`]),
    ...(withoutId === 0
      ? []
      : [
          `stays:    ${counted(withoutId, "user")} without an id in the input: the service made one up, which is not known`,
        ]),
  ];
}

/** Asked before anything is removed. */
export function questionLine({ toRemove }: UndoNumbers, host: string): string {
  return `${counted(toRemove, "user")} will be removed from ${host} for good. Go on?`;
}

/** Said before anybody is removed by more than one call at a time (service behaviour 0.41). */
export const AT_ONCE_LINE =
  "several calls at a time: the service may then miss that somebody was removed, and keep the login name of a user who is gone. One at a time (--concurrency 1) it missed nothing.";

/** What came of it. */
export function undoSummaryLines(numbers: UndoNumbers, kept: ReadonlyMap<string, number>, isDryRun: boolean): string[] {
  const { listed, removed, alreadyGone, kept: staying, failed, unknown, toRemove } = numbers;
  const parts = [
    `${count(removed)} removed`,
    `${count(alreadyGone)} already gone`,
    `${count(staying)} kept`,
    `${count(failed)} failed`,
  ];
  if (unknown > 0) parts.push(`${count(unknown)} unknown`);
  if (toRemove > 0) parts.push(`${count(toRemove)} ${isDryRun ? "to be removed" : "not reached"}`);
  return [
    `users:    ${count(listed)} listed = ${parts.join(" + ")}`,
    ...[...kept].map(([reason, times]) => `kept:     ${count(times)}: ${describeKept(reason)}`),
    ...(staying > 0 ? ["          --force removes them as well, except who was made anew or existed before"] : []),
    ...(isDryRun
      ? ["dry run: nothing was removed."]
      : toRemove + unknown > 0
        ? ["Running the same again goes on: who is gone already is not asked for again."]
        : []),
    ...(isDryRun || removed === 0
      ? []
      : [
          "          what cannot be known: a sign-in within the seconds between the last look and the removal, and what other systems keep of these users",
        ]),
  ];
}

/** Said with --force where the events are not told. */
export function unreadableLine(problem: RunProblem): string {
  return `who has signed in or changed the password since is not known, since events cannot be read: ${describe(problem).message} With --force everybody is removed.`;
}
