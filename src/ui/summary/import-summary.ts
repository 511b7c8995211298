import type { BodyScan } from "../../core/document/scan-types.ts";
import type { Counts, Failure } from "../../core/transfer/answer/batch-result.ts";
import type { JobState } from "../../core/transfer/job-state.ts";
import { isConsequence, namesOrg } from "../../problem/cause.ts";
import { bytes, count, counted, firstOf, idWithName, linesIf, type Names, place, shown } from "../../problem/format.ts";
import type { RunProblem } from "../../problem.ts";
import type { ReportFields, Untold } from "../report.ts";
import { failedOwnerWords } from "./foreseen.ts";
import { describeFailure } from "./hash-limits.ts";

/**
 * The numbers of a whole job. `read = sent + notSent + skipped`, `sent = created + alreadyThere + failed + unknown`; with --update,
 * `read = sent + unchanged + conflict + notSent + skipped` and `sent = created + updated + alreadyThere + failed + unknown`.
 */
export type ImportNumbers = NonNullable<ReportFields<"import">["users"]>;

const SHOWN_USERS = 10;

/** Where a resumed run begins. */
export function goingOnLine(settled: number): string {
  return `continuing after ${counted(settled, "user")}.`;
}

export const PART_UNREADABLE_LINE =
  "a part of the discarded run's journal cannot be read: undo will not know the users of that part.";

/** An unfinished run of another job, whose journal is kept under the name `journal`. */
export function otherJobLine(
  { created, healing }: { readonly created: number; readonly healing: readonly string[] },
  journal: string,
): string {
  const users = created > 0 ? `created ${counted(created, "user")}` : "may have created users";
  const deleted =
    healing.length === 0
      ? ""
      : ` It was deleting and recreating ${healing.map(shown).join(", ")}: they may be missing.`;
  return `--restart: the unfinished run of another job ${users}, and undo does not know them yet.${deleted} Its journal is kept as ${journal}. To complete that run: its command with --journal ${journal} --resume`;
}

export const NO_JOURNAL_LINE = "no journal of an earlier run: the run starts at the beginning.";

/** The consequence of a target that does not return its events. */
export function noEventsLine({ code }: RunProblem): string {
  return `events cannot be read (${code}): the organization of existing users is unknown. After a lost response, it is also unknown whether this run created a user.`;
}

/** Existing users without an event. */
export function unseenLine(users: number): string {
  return `no event of the target mentions ${counted(users, "existing user")}: ${users === 1 ? "its" : "their"} organization is unknown.`;
}

/** Objects that are not sent because every instance has its own. */
export function leftAloneLine(left: number): string {
  return `${counted(left, "object")} of the instance's own organization skipped (administrator, service users, project of its APIs), and counted as already there: the target has its own.`;
}

/** The file of the failed and skipped users. @param hasOthers other objects failed, too. */
export function rejectedBodyLine(path: string, hasOthers: boolean): string {
  const others = hasOthers
    ? " It lacks what failed of other users, such as links and grants: correct the cause, and run the same command again."
    : "";
  return `rejects:  the failed users are in ${path}, as an import body. Correct it, then import it with the same flags.${others}`;
}

/** What a run that did not finish had done to users that the source removed: also with --quiet. */
export function removedBeforeLine(deleted: number, deactivated: number): string {
  const parts = [[deleted, "deleted"] as const, [deactivated, "deactivated"] as const].filter(([users]) => users > 0);
  const words = parts.map(([users, word]) => `${counted(users, "user was", "users were")} ${word}`);
  return `${words.join(", ")} on the target before the run ended.`;
}

/** All was sent, and the report or page could not be written: without --resume, the next run is refused. */
export function unreportedLine(resumeCommand: string, untold: Untold): string {
  const flags = untold.filter((flag) => flag !== "--json");
  const how = flags.length === 0 ? "" : `, run this with another path for ${flags.join(" and ")}`;
  return `all users were sent, and only the report is missing. To write it${how}: ${resumeCommand}`;
}

/** How to continue a run that did not finish. @param unknown users of calls whose answer is missing: without a journal, no manifest gets them. */
export function stoppedLines(resumeCommand: string | undefined, unknown: number): readonly [string, ...string[]] {
  if (resumeCommand !== undefined) return ["not finished. To continue:", `  ${resumeCommand}`];
  return [
    "not finished. It is safe to run the same command again: existing users are counted as already there.",
    ...linesIf(
      unknown > 0,
      `  ${counted(unknown, "user")} without an answer may exist. They are in no manifest, so orgferry undo cannot delete them; --report lists them.`,
    ),
  ];
}

/** The file with the ids of the created users. */
export function manifestLine(
  path: string,
  { users, withoutId }: { readonly users: number; readonly withoutId: number },
): string {
  const others = withoutId === 0 ? "" : `, and not ${counted(withoutId, "user")} without an id in the input`;
  return `created:  ${counted(users, "id")} in ${path}; orgferry undo deletes these users${others}`;
}

/** Created users that no file lists. */
export function noManifestLine(users: number): string {
  return `created:  ${counted(users, "user")}; no manifest was written, so orgferry undo cannot delete them`;
}

/** Created users who need an e-mail of `orgferry invite`; `asked`: others, who get an e-mail of the service; `closed`: others, who get none. */
export function withoutPasswordLine(
  users: number,
  { asked, closed }: { readonly asked: number; readonly closed: number },
): string {
  const others = [
    ...linesIf(asked > 0, `; ${count(asked)} more ${asked === 1 ? "gets" : "get"} one from the service`),
    ...linesIf(closed > 0, `; ${counted(closed, "more is", "more are")} inactive or locked, without an e-mail`),
  ].join("");
  return `          ${count(users)} of the created users ${users === 1 ? "has" : "have"} no password and no link: orgferry invite sends an e-mail to set one${others}`;
}

/** Why the next calls are smaller. */
export function smallerLine(problem: RunProblem, limits: { readonly users: number; readonly bytes: number }): string {
  return problem.code === "api.too-large"
    ? `the service rejects calls of this size: continuing with at most ${bytes(limits.bytes)} per call.`
    : `a call exceeded its time limit: continuing with at most ${counted(limits.users, "user")} per call.`;
}

/** The outcome of the users: two lines of numbers that add up. */
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

/** The results of all other objects, a line per type. */
export function otherLines(others: Iterable<readonly [string, Counts]>): string[] {
  return [...others].map(([type, counts]) => `${`${shown(type)}:`.padEnd(9)} ${countsText(counts)}`);
}

/** The result of an import; `placeOf` returns the file of a line of the input, `names` login names by id, and the hashes of the input. */
export function summaryLines(
  numbers: ImportNumbers,
  state: JobState,
  placeOf: (line: number) => { readonly file: string; readonly line: number },
  names: Names,
  { breaches, hashes }: Pick<BodyScan, "breaches" | "hashes">,
): string[] {
  const lines = accountLines(numbers);
  if (state.untold > 0) {
    lines.push(
      `          ${count(state.untold)} of the users already there may have been created by a call whose response was lost`,
    );
  }
  lines.push(...otherLines(state.others));
  if ([...state.others.values()].some(({ leftOut = 0 }) => leftOut > 0)) {
    lines.push(
      "left out: objects that refer to something that their organization does not have on the target (not exported, or of another organization)",
    );
  }
  // Consequences come after their causes.
  const causes = [...state.causes].sort(([a], [b]) => Number(isConsequence(a)) - Number(isConsequence(b)));
  for (const [cause, { count: times, sample }] of causes) {
    const { message, hint } = describeFailure(cause, breaches, [...hashes.keys()]);
    const where = sample.line === undefined ? "" : ` (${place(placeOf(sample.line))})`;
    const quoted = sample.holder ?? (namesOrg(cause) ? sample.message : `"${sample.message}"`);
    const words = sample.message === "" ? "" : `: ${quoted}`;
    lines.push(`failed:   ${count(times)} × ${message}. ${hint ?? ""}`.trimEnd());
    const who = (failure: Failure): string => {
      const grant = failedOwnerWords(failure, names.get(failure.userId ?? ""));
      return `${idWithName(failure.id, names.get(failure.id))}${grant === undefined ? "" : `, ${grant}`}`;
    };
    lines.push(`          first: ${shown(sample.type)} ${who(sample)}${where}${words}${changedText(sample)}`);
    const others = failuresToName(state.failures, cause).filter((one) => one !== sample);
    const named = others.map((one) => `${who(one)}${changedText(one)}`);
    if (times > 1 && named.length > 0) lines.push(`          others: ${firstOf(named, SHOWN_USERS, times - 1)}`);
  }
  return lines;
}

/** The first failures of a cause, which the terminal names. */
export function failuresToName(failures: readonly Failure[], cause: string): readonly Failure[] {
  return failures.filter((one) => one.cause === cause).slice(0, SHOWN_USERS);
}

/** What was changed of an existing user although another change failed. */
function changedText({ changed = [] }: Failure): string {
  return changed.length === 0 ? "" : `; changed nevertheless: ${changed.map(shown).join(", ")}`;
}

/** Why some items failed, in one line. */
export function notThroughLine(
  { read, failed, unknown, notSent, skipped, conflict = 0 }: ImportNumbers,
  state: Pick<JobState, "others">,
  rejects: string | undefined,
  isSettled = false,
): string {
  const others = [...state.others.values()].reduce((sum, counts) => sum + counts.failed + (counts.unknown ?? 0), 0);
  const parts = [`${count(failed)} failed`, `${count(unknown)} unknown`];
  if (notSent > 0) parts.push(`${count(notSent)} not sent`);
  if (conflict > 0) parts.push(`${counted(conflict, "conflict")}${isSettled ? " settled by --prefer target" : ""}`);
  if (skipped > 0) parts.push(`${count(skipped)} skipped`);
  const rest = others === 0 ? "" : `; ${counted(others, "other object")} failed`;
  return `of ${counted(read, "user")}, ${parts.join(", ")}${rest}${rejects === undefined ? "" : ` (${rejects})`}.`;
}

function countsText({ created, alreadyThere, failed, leftOut = 0, heldBack = 0, unknown = 0 }: Counts): string {
  const parts = [`${count(created)} created`, `${count(alreadyThere)} already there`, `${count(failed)} failed`];
  if (leftOut > 0) parts.push(`${count(leftOut)} left out`);
  if (heldBack > 0) parts.push(`${count(heldBack)} not sent`);
  if (unknown > 0) parts.push(`${count(unknown)} unknown`);
  return parts.join(", ");
}
