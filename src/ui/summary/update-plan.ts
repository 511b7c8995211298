import { listsOfRemoved } from "../../core/update/update-result.ts";
import { count, counted, idWithName, moment, type Names, shown } from "../../problem/format.ts";

/** The parts of an update that are shown. */
interface Updates {
  readonly create: readonly string[];
  readonly update: readonly Changed[];
  readonly delete: readonly string[];
  readonly deactivate: readonly string[];
  readonly conflict: readonly Changed[];
  readonly unchanged: number;
  readonly tooMany: readonly string[];
  readonly removedAtSource: readonly string[];
  readonly notOurs: readonly string[];
  readonly incomplete: readonly string[];
  readonly protected: readonly string[];
  readonly kept: readonly Changed[];
  readonly notInFile: readonly Changed[];
}

interface Changed {
  readonly userId: string;
  readonly fields: readonly string[];
  readonly reason?: "never-finished" | "protected" | "removed" | "recreated" | "other-person" | undefined;
  readonly changedBy?: ChangedBy | undefined;
}

/** Who changed a user on the target, and when. */
interface ChangedBy {
  readonly userId?: string | undefined;
  readonly name?: string | undefined;
  readonly at: string;
}

/** `by 234 (Ann), 2026-11-21 22:28 UTC`, or `by the user, …`. @param id of the user that was changed. */
function changedByText({ userId, name, at }: ChangedBy, id: string): string {
  const who = userId === id ? "the user" : userId === undefined ? "an unknown account" : idWithName(userId, name);
  return `by ${who}, ${moment(at)}`;
}

const FIRST = 5;

/** Why users keep a field that differs, and what to do. */
export const conflictReasons = [
  {
    isOf: ({ reason }: { readonly reason?: string | undefined }): boolean => reason === undefined,
    message: "changed on the target by another user, and not overwritten",
    hint: "To take the source's values for some users, use --prefer source --only <id>, without --delete and --deactivate. To keep the target's, make the same change at the source, or use --prefer target for all users.",
  },
  {
    isOf: ({ reason }: { readonly reason?: string | undefined }): boolean => reason === "never-finished",
    message: "the user never finished registration on the target, and the service accepts no password before that",
    hint: "To import the password, lock and unlock the user on the target, then run again.",
  },
  {
    isOf: ({ reason }: { readonly reason?: string | undefined }): boolean => reason === "protected",
    message: "differs, but users with a role on the instance and the service users of the run are never changed",
    hint: "To leave these users as they are without a conflict, use --prefer target.",
  },
  {
    isOf: ({ reason }: { readonly reason?: string | undefined }): boolean => reason === "recreated",
    message: "deleted at the source and created again under the same id, maybe for another person",
    hint: "To take over the new user, delete the one on the target, then run again with --prefer source.",
  },
  {
    isOf: ({ reason }: { readonly reason?: string | undefined }): boolean => reason === "other-person",
    message: "created by another account with another user name, e-mail address and password, maybe for another person",
    hint: "To give these users the values of the input, use --prefer source.",
  },
  {
    isOf: ({ reason }: { readonly reason?: string | undefined }): boolean => reason === "removed",
    message: "deleted on the target by another account, and not created again",
    hint: "To create these users again, use --prefer source; to leave them deleted without a conflict, --prefer target.",
  },
] as const;

/** Users who stay although the source deleted them, because there are more than allowed. */
export const TOO_MANY = {
  message: "deleted at the source, more users than --max-deletes allows, so no user was deleted",
  hint: "If they are right, raise --max-deletes.",
} as const;

/** Users who stay although the source deleted them, because the export may lack users. */
export const INCOMPLETE = {
  message: "deleted at the source, but the export of the organization is or may be incomplete, or users were skipped",
  hint: "Fix or wait for these users, then run again.",
} as const;

/** Values that stay although the export lacks them, because the export may be incomplete. */
export const VALUES_KEPT = {
  message:
    "the export lacks values, and the source's event log does not show that they were removed; the target keeps them",
  hint: "The export is incomplete: run again later.",
} as const;

/** `email, phone`, and for a conflict ` (by 234, …)`. */
export function fieldsText({ userId, fields, changedBy }: Changed): string {
  const by = changedBy === undefined ? "" : ` (${changedByText(changedBy, userId)})`;
  return `${fields.map(shown).join(", ")}${by}`;
}

/** The plan of an update, or its result: a line per kind, with the first users of each; never a value. */
export function updateLines(updates: Updates, isDone: boolean, names: Names): string[] {
  const { create, update, conflict, unchanged, tooMany, notOurs, incomplete } = updates;
  const who = (id: string): string => idWithName(id, names.get(id));
  const ids = (list: readonly string[]): string => first(list, who);
  const changed = (list: readonly Changed[]): string =>
    first(list, (one) => `${who(one.userId)}: ${fieldsText(one)}`, "; ");
  const line = (mark: string, what: string, number: number, list: string): string[] =>
    number === 0 ? [] : [`${mark} ${`${what}:`.padEnd(12)} ${count(number).padStart(7)}  ${list}`];
  const past = (present: string, done: string): string => (isDone ? done : present);
  const lines = [
    ...line("+", past("create", "created"), create.length, ids(create)),
    ...line("~", past("update", "updated"), update.length, changed(update)),
    ...line("-", past("delete", "deleted"), updates.delete.length, ids(updates.delete)),
    ...line("-", past("deactivate", "deactivated"), updates.deactivate.length, ids(updates.deactivate)),
    ...line("!", "conflict", conflict.length, changed(conflict)),
    `  ${"unchanged:".padEnd(12)} ${count(unchanged).padStart(7)}`,
  ];
  const unfinished = conflict.filter(({ reason }) => reason === "never-finished");
  const isForeign = conflict.some(({ reason }) => reason === undefined);
  if (isForeign) lines.push(`  conflict: ${conflictReasons[0].message}`, `          ${conflictReasons[0].hint}`);
  if (unfinished.length > 0)
    lines.push(
      `  conflict (hash): ${counted(unfinished.length, "user")} never finished registration on the target, and the service accepts no password before that: ${first(unfinished, ({ userId }) => who(userId))}`,
      "          To import the password, lock and unlock the user on the target, then run again.",
    );
  const recreated = conflict.filter(({ reason }) => reason === "recreated");
  if (recreated.length > 0)
    lines.push(
      `  conflict: ${counted(recreated.length, "user")} deleted at the source and created again under the same id, maybe for another person: ${first(recreated, ({ userId }) => who(userId))}`,
      "          To take over the new user, delete the one on the target, then run again with --prefer source.",
    );
  const others = conflict.filter(({ reason }) => reason === "other-person");
  if (others.length > 0)
    lines.push(
      `  conflict: ${counted(others.length, "user")} created by another account with another user name, e-mail address and password, maybe for another person: ${first(others, ({ userId }) => who(userId))}`,
      "          To give them the values of the input, use --prefer source.",
    );
  const removed = conflict.filter(({ reason }) => reason === "removed");
  if (removed.length > 0)
    lines.push(
      `  conflict (user): ${counted(removed.length, "user")} deleted on the target by another account, and not created again: ${first(removed, ({ userId }) => who(userId))}`,
      "          To create them again, use --prefer source; to leave them deleted without a conflict, --prefer target.",
    );
  if (updates.kept.length > 0)
    lines.push(
      `  ${counted(updates.kept.length, "user")} ${updates.kept.length === 1 ? "keeps" : "keep"} values that the export lacks, because the source's event log does not show that they were removed: ${changed(updates.kept)}`,
      `          ${VALUES_KEPT.hint}`,
    );
  if (updates.notInFile.length > 0)
    lines.push(
      `  ${counted(updates.notInFile.length, "user")} ${updates.notInFile.length === 1 ? "keeps" : "keep"} values that the file lacks, because a file does not show whether they were removed: ${changed(updates.notInFile)}`,
    );
  if (updates.protected.length > 0)
    lines.push(
      `  ${counted(updates.protected.length, "user")} with a role on the instance, or of this job: never changed or deleted: ${ids(updates.protected)}`,
    );
  if (tooMany.length > 0)
    lines.push(
      `  ${counted(tooMany.length, "user was", "users were")} deleted at the source, more than --max-deletes allows (by default 1 in 100 of an organization, at least 10): no user ${past("will be", "was")} deleted: ${ids(tooMany)}`,
    );
  if (updates.removedAtSource.length > 0)
    lines.push(
      `  ${counted(updates.removedAtSource.length, "user was", "users were")} deleted at the source and can still sign in on the target: ${ids(updates.removedAtSource)}`,
      "          To delete or deactivate such users, use --delete or --deactivate.",
    );
  if (incomplete.length > 0)
    lines.push(
      `  ${counted(incomplete.length, "user")} deleted at the source ${incomplete.length === 1 ? "stays" : "stay"}, because the export of the organization is or may be incomplete, or users were skipped: ${ids(incomplete)}`,
    );
  if (notOurs.length > 0)
    lines.push(
      `  ${counted(notOurs.length, "user")} deleted at the source ${notOurs.length === 1 ? "stays" : "stay"}, because no copy created ${notOurs.length === 1 ? "it" : "them"}: ${ids(notOurs)}`,
    );
  return lines;
}

const SHOWN_OTHERS = 20;

/** Objects besides users that differ, by type and id. */
export function otherDifferencesLines(
  different: readonly {
    readonly type: string;
    readonly id: string;
    readonly orgId?: string;
    readonly fields: readonly string[];
  }[],
  all: number,
): string[] {
  if (all === 0) return [];
  const where = (orgId: string | undefined): string => (orgId === undefined ? "" : ` of organization ${shown(orgId)}`);
  return [
    `${counted(all, "other object is", "other objects are")} different on the target, and not changed: --update changes users only.`,
    ...different
      .slice(0, SHOWN_OTHERS)
      .map(
        ({ type, id, orgId, fields }) =>
          `          ${shown(type)} ${shown(id)}${where(orgId)}: ${fields.map(shown).join(", ")}`,
      ),
    ...(all > SHOWN_OTHERS ? [`          … and ${count(all - SHOWN_OTHERS)} more; the report lists them`] : []),
  ];
}

/** The messages that the service sends because of an update. */
export function updateMessagesLine({ mails, sms }: { readonly mails: number; readonly sms: number }): string {
  return `messages: the service will send up to ${counted(mails, "e-mail")} and ${count(sms)} SMS, for new addresses and phone numbers, and changed passwords`;
}

/** Whose login names are shown beside the ids: users of the input, the first of each list. */
export function idsToName(updates: Updates): readonly string[] {
  const { create, update, conflict, kept, notInFile } = updates;
  const ofChanged = (list: readonly Changed[]): readonly string[] => list.slice(0, FIRST).map(({ userId }) => userId);
  return [
    ...[create, ...listsOfRemoved(updates)].flatMap((list) => list.slice(0, FIRST)),
    ...[update, conflict, kept, notInFile].flatMap(ofChanged),
  ];
}

function first<T>(list: readonly T[], text: (one: T) => string, between = ", "): string {
  const rest = list.length - FIRST;
  return `${list.slice(0, FIRST).map(text).join(between)}${rest > 0 ? `, … ${count(rest)} more` : ""}`;
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

/** Whether the state file is used; `since` is the time of its last use. */
export function stateLine(use: StateUse, since: string): string {
  return use === "used" ? `reading changes since ${since}` : `${whyAll[use]}; comparing all users`;
}
