import { isSettledByTarget } from "../../core/update/update-result.ts";
import { count, counted, linesIf, moment, type Names } from "../../problem/format.ts";
import type { ReportFields } from "../report.ts";
import { type LeftObjects, SHOWN } from "./left-objects.ts";
import {
  asObjects,
  type Changed,
  CODES_OF_UPDATE,
  changedUsers,
  firstUsers,
  leftUsers,
  type Updates,
} from "./user-lists.ts";

/** In place of the hint on a conflict that --prefer target has settled. */
export const TARGET_KEPT = "The target's values are kept (--prefer target).";

/** --prefer alone would decide every conflict of the run. */
type SourceForSome = "--prefer source --only <id>" | "--prefer source --only <id>, without --delete and --deactivate";

/** The hint of a reason, with the flags that the command has. */
export function conflictHint({ hint }: (typeof conflictReasons)[number], isCopy: boolean): string {
  if (typeof hint === "string") return hint;
  return hint(`--prefer source --only <id>${isCopy ? ", without --delete and --deactivate" : ""}`);
}

/** Why users keep a field that differs, and what to do. `title`: the summary names the users of the reason. */
export const conflictReasons: readonly {
  readonly reason: Changed["reason"];
  /** Of the users without a reason, those whose password is among the fields. */
  readonly isPassword?: true;
  readonly title?: string;
  readonly message: string;
  readonly hint: string | ((forSome: SourceForSome) => string);
}[] = [
  {
    reason: undefined,
    message: "changed on the target by another user, and not overwritten",
    hint: (forSome) =>
      `To take the source's values for some users, use ${forSome}. To keep the target's, use --prefer target for all users in each run, or make the same change at the source: the next change there is a conflict again.`,
  },
  {
    reason: undefined,
    isPassword: true,
    message: "password changed on the target by another user, and not overwritten",
    hint: (forSome) =>
      `To overwrite it with the source's password for some users, use ${forSome}. To keep the target's, use --prefer target for all users in each run: the same password at the source has another hash, and stays a conflict.`,
  },
  {
    reason: "never-finished",
    title: "conflict (hash)",
    message: "the user never finished registration on the target, and the service accepts no password before that",
    hint: "To import the password, lock and unlock the user on the target, then run again.",
  },
  {
    reason: "protected",
    message: "differs, but users with a role on the instance and the service users of the run are never changed",
    hint: "To leave these users as they are without a conflict, use --prefer target in each run.",
  },
  {
    reason: "recreated",
    title: "conflict",
    message: "deleted at the source and created again under the same id, maybe for another person",
    hint: (forSome) => `To take over the new user, delete the one on the target, then run again with ${forSome}.`,
  },
  {
    reason: "other-person",
    title: "conflict",
    message: "with another user name, e-mail address and password on the target, maybe of another person",
    hint: (forSome) =>
      `To give some of these users the values of the input, use ${forSome}. If it is another person, delete the user on the target first: otherwise the second factors, roles and metadata of the former person stay, and without a hash in the input the password, too.`,
  },
  {
    reason: "removed",
    title: "conflict (user)",
    message: "deleted on the target by another account, and not created again",
    hint: (forSome) =>
      `To create some of these users again, use ${forSome}. To leave all of them deleted without a conflict, use --prefer target in each run.`,
  },
];

/** True for a conflict of this reason. */
export function isOfReason({ reason, fields }: Changed, why: (typeof conflictReasons)[number]): boolean {
  const isPassword = reason === undefined && fields.includes("hash");
  return reason === why.reason && isPassword === (why.isPassword === true);
}

/**
 * The plan of an update, or its result: a line per kind, with the first users of each; never a value.
 *
 * @param isSettled the target's values are preferred.
 */
export function updateLines(
  update: Updates,
  isDone: boolean,
  names: Names,
  { isSettled, isCopy }: { readonly isSettled: boolean; readonly isCopy: boolean },
): string[] {
  const { conflict = [], unchanged = 0 } = update;
  const line = (mark: string, what: string, users: readonly Changed[]): readonly string[] =>
    linesIf(
      users.length > 0,
      `${mark} ${`${what}:`.padEnd(12)} ${count(users.length).padStart(7)}  ${firstUsers(users, names)}`,
    );
  const lines = [
    ...changedUsers(update, isDone).flatMap(({ mark, words, users }) => line(mark, words, users)),
    ...line("!", "conflict", conflict),
    `  ${"unchanged:".padEnd(12)} ${count(unchanged).padStart(7)}`,
  ];
  for (const why of conflictReasons) {
    const { reason, title, message } = why;
    const found = conflict.filter((one) => isOfReason(one, why));
    if (found.length === 0) continue;
    const users = `${counted(found.length, "user")} ${message.replace(/^the user /, "")}`;
    if (reason === undefined) lines.push(`  conflict: ${message}`);
    else if (title !== undefined)
      lines.push(
        `  ${title}: ${users}: ${firstUsers(
          found.map(({ userId }) => ({ userId, fields: [] })),
          names,
        )}`,
      );
    else continue;
    lines.push(`          ${isSettled && found.every(isSettledByTarget) ? TARGET_KEPT : conflictHint(why, isCopy)}`);
  }
  for (const { words, hints, users, as } of leftUsers(update, isDone, isCopy)) {
    if (as === "warning") continue;
    const named = users.length === 0 ? "" : `: ${firstUsers(users, names)}`;
    lines.push(`  ${words}${named}`, ...hints.map((hint) => `          ${hint}`));
  }
  return lines;
}

/** A skipped user may be one that the target has. */
export const ABSENT_OR_INVALID_LINE =
  "invalid users of the file are skipped: those of them that the target has are listed as not in the file";

/** The warnings of an update: users that it leaves, and that need a decision. */
export function updateWarnings(
  update: Updates,
  isDone: boolean,
  names: Names,
  { isCopy }: { readonly isCopy: boolean },
): readonly LeftObjects[] {
  return leftUsers(update, isDone, isCopy)
    .filter(({ as }) => as === "warning")
    .map((one) => asObjects(one, names));
}

/** Part of the plan of an update: objects that it would create, unless another account removed them. @param missing numbers by type. */
export function missingObjectsLine(missing: readonly (readonly [type: string, objects: number])[]): string {
  const parts = missing.map(([type, objects]) => {
    const name = type.replaceAll("_", " ");
    return counted(objects, name, name.endsWith("policy") ? name.replace(/y$/, "ies") : undefined);
  });
  return `others:   the target lacks ${parts.join(", ")}`;
}

/** What to do about existing users that differ. @param how the update of what an update can change. */
export function differentHint(users: readonly { readonly fields: readonly string[] }[], how: string): string {
  const hasOtp = users.some(({ fields }) => fields.includes("otp"));
  return [how, ...linesIf(hasOtp, CODES_OF_UPDATE)].join(" ");
}

/** The messages that the service sends because of an update. */
export function updateMessagesLine({ mails, sms }: { readonly mails: number; readonly sms: number }): string {
  return `messages: the service will send up to ${counted(mails, "e-mail")} and ${count(sms)} SMS, for new addresses and phone numbers, and passwords that are set`;
}

/** Whose login names are shown beside the ids: the first users of each list. */
export function idsToName(update: Updates): readonly string[] {
  const lists = [...changedUsers(update, true), { users: update.conflict ?? [] }, ...leftUsers(update, true, false)];
  return lists.flatMap(({ users }) => users.slice(0, SHOWN).map(({ userId }) => userId));
}

/** The use of a state file, or why all users are compared. */
export type StateUse =
  | "used"
  | "none"
  | "broken"
  | "other-version"
  | "other-instance"
  | "other-job"
  | "target-reset"
  | "source-reset";

const whyAll: Readonly<Record<Exclude<StateUse, "used">, string>> = {
  none: "no state file yet",
  broken: "the state file is damaged",
  "other-version": "another version of orgferry wrote the state file",
  "other-instance": "the state file belongs to other instances",
  "other-job": "the state file belongs to other organizations or another service user",
  "target-reset": "the target lacks earlier events: it was reset or restored",
  "source-reset": "the source lacks earlier events: it was reset or restored",
};

/** What a run says about its state file beside the log; nothing if it was used, or is the first one. */
export function stateRemarks({ state, killedRun }: Pick<ReportFields<"import">, "state" | "killedRun">): string[] {
  const isReplaced = state !== undefined && state !== "none" && Object.hasOwn(whyAll, state);
  return [
    ...linesIf(isReplaced, `${stateLine(state as StateUse, "")}.`),
    ...(killedRun === undefined ? [] : [deadRunLine(killedRun)]),
  ];
}

/** The state file is of the same instances and another account. */
export const OTHER_SELF_LINE =
  "the token of the target is of another service user than the one of the run before (state file). Users that the former one created count as another account's: what it changed is a conflict where it differs, and users deleted at the source stay. To continue as before, use a token of the former service user.";

/** A run with this state file was killed. @param since its beginning. */
export function deadRunLine(since: string): string {
  return `the run of ${moment(since)} ended without a result. Users that it created count as existing, and are in no manifest, so undo does not know them. What it left undone is done now, or named.`;
}

/** Whether the state file is used; `since` is the time of its last use. */
export function stateLine(use: StateUse, since: string): string {
  return use === "used" ? `reading changes since ${since}` : `${whyAll[use]}; comparing all users`;
}
