import type { Counts } from "../../core/transfer/answer/batch-result.ts";
import type { JobState } from "../../core/transfer/job-state.ts";
import { describeCause } from "../../problem/cause.ts";
import { bytes, count, counted, place, shown } from "../../problem/format.ts";
import type { RunProblem } from "../../problem.ts";

/**
 * The numbers of a whole job. `read = sent + notSent + skipped`, `sent = created + alreadyThere + failed + unknown`; where users are brought
 * up to date, `read = sent + unchanged + conflict + notSent + skipped` and `sent = created + updated + alreadyThere + failed + unknown`.
 */
export interface ImportNumbers {
  readonly read: number;
  readonly sent: number;
  readonly created: number;
  readonly alreadyThere: number;
  readonly failed: number;
  readonly unknown: number;
  readonly notSent: number;
  readonly skipped: number;
  readonly updated?: number;
  readonly unchanged?: number;
  readonly conflict?: number;
}

/** Where a resumed run begins. */
export function goingOnLine(settled: number): string {
  return `continuing after ${counted(settled, "user")}.`;
}

/** What undo will not know of a run that was thrown away; undefined when it will know everything. */
export function forgottenLine({ forgotten, isWhole }: { forgotten: number; isWhole: boolean }): string | undefined {
  if (forgotten > 0) {
    return `the run that --restart discards had created ${counted(forgotten, "user")}${isWhole ? "" : " or more"}; its journal does not fit this one, so undo will not know them.`;
  }
  return isWhole
    ? undefined
    : "a part of the discarded run's journal cannot be read: undo will not know whom it created there.";
}

export const NO_JOURNAL_LINE = "no journal of an earlier run: starting from the beginning.";

/** What it means that the target does not tell its events. */
export function noEventsLine({ code }: RunProblem): string {
  return `events cannot be read (${code}): orgferry cannot tell in which organization existing users are, nor, after a lost answer, whether this run created a user.`;
}

/** Existing users of whom the target's events say nothing. */
export function unseenLine(users: number): string {
  return `no event of the target mentions ${counted(users, "existing user", "existing users")}: in which organization ${users === 1 ? "it is" : "they are"} is not known.`;
}

/** What is not sent because every instance has its own. */
export function leftAloneLine(left: number): string {
  return `${counted(left, "thing")} of the instance's own organization (its administrator, service users, its APIs' project) left alone: the target has its own.`;
}

/** What to do about a run that did not get to its end. */
export function stoppedLine(resumeCommand: string | undefined): string {
  return resumeCommand === undefined
    ? "not finished. Running the same again is safe: what is there is counted as already there."
    : `not finished. To continue:\n  ${resumeCommand}`;
}

/** Where the ids of those who were created are. */
export function manifestLine(path: string, users: number): string {
  return `created:  ${counted(users, "id")} in ${path}; orgferry undo removes these users again`;
}

/** Why calls get smaller from here on. */
export function smallerLine(problem: RunProblem, limits: { readonly users: number; readonly bytes: number }): string {
  return problem.code === "api.too-large"
    ? `the service refuses calls as large as that: continuing with at most ${bytes(limits.bytes)} per call.`
    : `a call ran into its time limit: continuing with at most ${counted(limits.users, "user")} per call.`;
}

/** What became of the users: two lines of numbers that add up. */
export function accountLines(numbers: ImportNumbers): string[] {
  const { read, sent, notSent, skipped, created, alreadyThere, failed, unknown } = numbers;
  const { updated, unchanged = 0, conflict = 0 } = numbers;
  const kept = updated === undefined ? "" : ` + ${count(unchanged)} unchanged + ${count(conflict)} conflict`;
  const changed = updated === undefined ? "" : ` + ${count(updated)} updated`;
  return [
    `users:    ${count(read)} read = ${count(sent)} sent${kept} + ${count(notSent)} not sent + ${count(skipped)} skipped`,
    `          ${count(sent)} sent = ${count(created)} created${changed} + ${count(alreadyThere)} already there + ${count(failed)} failed + ${count(unknown)} unknown`,
  ];
}

/** What became of everything that is no user, a line for each type. */
export function otherLines(others: Iterable<readonly [string, Counts]>): string[] {
  return [...others].map(([type, counts]) => `${`${shown(type)}:`.padEnd(9)} ${countsText(counts)}`);
}

/** What came of it; `placeOf` says in which file a line of the input stands. */
export function summaryLines(
  numbers: ImportNumbers,
  state: JobState,
  placeOf: (line: number) => { readonly file: string; readonly line: number },
): string[] {
  const lines = accountLines(numbers);
  if (state.untold > 0) {
    lines.push(
      `          of those already there, ${count(state.untold)} may have been made by a call whose answer was lost`,
    );
  }
  lines.push(...otherLines(state.others));
  if ([...state.others.values()].some(({ leftOut = 0 }) => leftOut > 0)) {
    lines.push("left out: what refers to something that was not exported and is not there either");
  }
  for (const [cause, { count: times, sample }] of state.causes) {
    const { message, hint } = describeCause(cause);
    const where = sample.line === undefined ? "" : ` (${place(placeOf(sample.line))})`;
    const words = sample.message === "" ? "" : `: "${sample.message}"`;
    lines.push(`failed:   ${count(times)} × ${message}. ${hint ?? ""}`.trimEnd());
    lines.push(`          first: ${shown(sample.type)} ${shown(sample.id)}${where}${words}`);
  }
  return lines;
}

/** Why not everything got through, in one line. */
export function notThroughLine(
  { read, failed, unknown, notSent, skipped }: ImportNumbers,
  state: Pick<JobState, "others">,
  rejects: string | undefined,
): string {
  const others = [...state.others.values()].reduce((sum, counts) => sum + counts.failed + (counts.unknown ?? 0), 0);
  const parts = [`${count(failed)} failed`, `${count(unknown)} unknown`];
  if (notSent > 0) parts.push(`${count(notSent)} not sent`);
  if (skipped > 0) parts.push(`${count(skipped)} skipped`);
  const rest = others === 0 ? "" : `; ${counted(others, "other thing")} failed`;
  return `of ${counted(read, "user")}, ${parts.join(", ")}${rest}${rejects === undefined ? "" : ` (${rejects})`}.`;
}

function countsText({ created, alreadyThere, failed, leftOut = 0, unknown = 0 }: Counts): string {
  const parts = [`${count(created)} created`, `${count(alreadyThere)} already there`, `${count(failed)} failed`];
  if (leftOut > 0) parts.push(`${count(leftOut)} left out`);
  if (unknown > 0) parts.push(`${count(unknown)} unknown`);
  return parts.join(", ");
}
