import { isSettledByTarget, listsOfRemoved, type UpdateResult } from "../../core/update/update-result.ts";
import { count, counted, idWithName, linesIf, moment, type Names, shown } from "../../problem/format.ts";
import type { ReportFields } from "../report.ts";
import { type LeftObjects, SHOWN } from "./left-objects.ts";

/** The parts of an update that are shown. */
type Updates = Omit<UpdateResult, "remake">;

/** Users who stay, as a report may have them. */
type Staying = { readonly [List in "notOurs" | "otherPerson" | "protected"]?: readonly string[] | undefined };

type Changed = NonNullable<NonNullable<ReportFields<"import">["update"]>["conflict"]>[number];

/** `by 234 (Ann), 2026-11-21 22:28 UTC`, or `by the user, …`. @param id of the user that was changed. */
function changedByText({ userId, name, at }: NonNullable<Changed["changedBy"]>, id: string): string {
  const who = userId === id ? "the user" : userId === undefined ? "an unknown account" : idWithName(userId, name);
  return `by ${who}, ${moment(at)}`;
}

const FIRST = 5;

/** True for a conflict of a user who can sign in on the target, and not by the input. */
function isOpenOnTarget({ states }: Pick<Changed, "states">): boolean {
  const isClosed = (state: string): boolean => state === "locked" || state === "inactive";
  return states !== undefined && isClosed(states.input) && !isClosed(states.target);
}

/** Users who can sign in on the target, and not by the input, because --prefer target has settled their conflicts: a quiet run lists no others. */
export function leftOpenUsers(
  conflict: readonly Changed[],
  names: Names,
): Pick<LeftObjects, "words" | "objects" | "all"> {
  const users = conflict.filter((one) => one.settled === true && isOpenOnTarget(one));
  const [are, them] = users.length === 1 ? ["is", "this user"] : ["are", "these users"];
  return {
    words: `${counted(users.length, "user")} ${are} locked or inactive in the input and not on the target, and --prefer target keeps it so. If ${them} must not sign in there, lock or deactivate ${them} on the target.`,
    objects: users.map((one) => ({
      kind: "user",
      name: `${idWithName(one.userId, names.get(one.userId))}: ${fieldsText(one)}`,
    })),
    all: users.length,
  };
}

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

/** Users who stay although the source deleted them, because there are more than allowed. */
export const TOO_MANY = {
  message:
    "deleted at the source, more users of an organization than --max-deletes allows (without the flag: 1 in 100, at least 10), so no user was deleted",
  /** @param most of one organization: the limit is for each. */
  hint: (most: number): string => `If they are right, use --max-deletes ${most}.`,
} as const;

/** Users who stay although the source deleted them, because the export may lack users. */
export const INCOMPLETE = {
  message: "deleted at the source, but the export of the organization is or may be incomplete, or users were skipped",
  hint: "Fix or wait for these users, then run again.",
} as const;

/** Of users whose address or number is verified on the target, and not in the input. */
export const VERIFIED_STAYS = "A verified address or number cannot become unverified.";

/** Of values that the target has and a file lacks. */
export const NOT_REMOVED = "If the target is to lose them, remove them there by hand.";

/** Of users of whose state the input says nothing. */
export const CLOSED_BY_OTHER = "locked or inactive on the target by another account, without a state in the input";
const STAYS_CLOSED =
  "They stay so, also with --prefer source. If they are to be active, make them active on the target.";

/** Values that stay although the export lacks them, because the export may be incomplete. */
export const VALUES_KEPT = {
  message:
    "the export lacks values, and the source's event log does not show that they were removed; the target keeps them",
  hint: "The export is incomplete: run again later.",
} as const;

/** `email, phone`, and for a conflict ` (by 234, …)` and the fields that were updated nevertheless. */
export function fieldsText({ userId, fields, changedBy, states, updated = [] }: Changed): string {
  const by = changedBy === undefined ? "" : ` (${changedByText(changedBy, userId)})`;
  const others = updated.length === 0 ? "" : `, updated: ${updated.map(shown).join(", ")}`;
  const named = fields.map((field) =>
    field === "state" && states !== undefined
      ? `state (${shown(states.input)} in the input, ${shown(states.target)} on the target)`
      : shown(field),
  );
  return `${named.join(", ")}${by}${others}`;
}

/**
 * The plan of an update, or its result: a line per kind, with the first users of each; never a value.
 *
 * @param isSettled the target's values are preferred.
 */
export function updateLines(
  updates: Updates,
  isDone: boolean,
  names: Names,
  { isSettled, isCopy }: { readonly isSettled: boolean; readonly isCopy: boolean },
): string[] {
  const { create, update, conflict, unchanged, tooMany, incomplete } = updates;
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
  for (const why of conflictReasons) {
    const { reason, title, message } = why;
    const found = conflict.filter((one) => isOfReason(one, why));
    if (found.length === 0) continue;
    const users = `${counted(found.length, "user")} ${message.replace(/^the user /, "")}`;
    const named = first(found, ({ userId }) => who(userId));
    if (reason === undefined) lines.push(`  conflict: ${message}`);
    else if (title !== undefined) lines.push(`  ${title}: ${users}: ${named}`);
    else continue;
    lines.push(`          ${isSettled && found.every(isSettledByTarget) ? TARGET_KEPT : conflictHint(why, isCopy)}`);
  }
  if (updates.kept.length > 0)
    lines.push(
      `  ${counted(updates.kept.length, "user")} ${updates.kept.length === 1 ? "keeps" : "keep"} values that the export lacks, because the source's event log does not show that they were removed: ${changed(updates.kept)}`,
      `          ${VALUES_KEPT.hint}`,
    );
  if (updates.notInFile.length > 0)
    lines.push(
      `  ${counted(updates.notInFile.length, "user")} ${updates.notInFile.length === 1 ? "keeps" : "keep"} values that the file lacks, because a file does not show whether they were removed: ${changed(updates.notInFile)}`,
      `          ${NOT_REMOVED}`,
      ...linesIf(
        updates.notInFile.some(({ fields }) => fields.includes("state")),
        "          Users that this account locked or deactivated, and that have no state in the file, become active with --prefer source.",
      ),
    );
  if (updates.closedByOther.length > 0)
    lines.push(
      `  ${counted(updates.closedByOther.length, "user is", "users are")} ${CLOSED_BY_OTHER}: ${changed(updates.closedByOther)}`,
      `          ${STAYS_CLOSED}`,
    );
  if (updates.notUpdated.length > 0)
    lines.push(
      `  ${counted(updates.notUpdated.length, "user differs", "users differ")} in fields that an update cannot change: ${changed(updates.notUpdated)}`,
      ...linesIf(
        updates.notUpdated.some(({ fields }) => fields.some((field) => /^is\w+Verified$/.test(field))),
        `          ${VERIFIED_STAYS}`,
      ),
      ...linesIf(
        updates.notUpdated.some(({ fields }) => fields.includes("passwordChangeRequired")),
        "          passwordChangeRequired: the service takes it only with a password, and not of a user who never finished registration.",
      ),
      ...linesIf(
        updates.notUpdated.some(({ fields }) => fields.includes("state")),
        "          state: these users never finished registration, so the login page asks for the code of their first e-mail before the password. The input does not say that they are active, or another account created them: --prefer source --only <ids> finishes it.",
      ),
    );
  const { absent, absentCount } = updates;
  const inFile = create.length + update.length + conflict.length + unchanged;
  if (absentCount > inFile)
    lines.push(
      `  ${counted(absentCount, "user")} that this account created are not in the file, and stay. The file has fewer users than that, so it seems to be another one, or a part.`,
    );
  else if (absentCount > 0)
    lines.push(
      `  ${counted(absentCount, "user")} that this account created ${absentCount === 1 ? "is" : "are"} not in the file, and ${absentCount === 1 ? "stays" : "stay"}: ${absent.length === absentCount ? ids(absent) : "orgferry verify names them"}`,
      "          They were removed from the file since, left out or rejected by migrate, or are of another file. If they are to go, delete or deactivate them on the target by hand.",
    );
  if (updates.protected.length > 0)
    lines.push(
      `  ${counted(updates.protected.length, "user")} with a role on the instance, or of this job: never changed or deleted: ${ids(updates.protected)}`,
    );
  if (tooMany.length > 0)
    lines.push(
      `  ${counted(tooMany.length, "user was", "users were")} deleted at the source, more of an organization than --max-deletes allows (without the flag: 1 in 100, at least 10): no user ${past("will be", "was")} deleted: ${ids(tooMany)}`,
      `          ${TOO_MANY.hint(updates.mostOfOrg ?? tooMany.length)}`,
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
  return lines;
}

const BY_HAND = "To delete such an account, do it by hand";

/** Users who were deleted at the source and can still sign in, although they were to be deleted: a warning for each reason. */
export function notOursLines(
  { notOurs = [], otherPerson = [], protected: kept = [] }: Staying,
  names: Names,
): readonly string[] {
  const isOther = new Set(otherPerson);
  const isProtected = new Set(kept);
  const reasons = [
    {
      users: notOurs.filter((id) => !isOther.has(id) && !isProtected.has(id)),
      why: "the service user of this run did not create the account there",
      hint: `${BY_HAND}, or run with the token of the service user that copied it.`,
    },
    {
      users: notOurs.filter((id) => isOther.has(id)),
      why: "the account there was created for another person",
      hint: `${BY_HAND}.`,
    },
    {
      users: notOurs.filter((id) => isProtected.has(id)),
      why: "the user has a role on the instance there, or is a service user of this job",
      hint: `${BY_HAND}.`,
    },
  ];
  return reasons
    .filter(({ users }) => users.length > 0)
    .map(({ users, why, hint }) => {
      const stay = users.length === 1 ? "stays" : "stay";
      const named = first(users, (id) => idWithName(id, names.get(id)));
      return `${counted(users.length, "user")} deleted at the source ${stay} on the target, because ${why}: ${named}. ${hint}`;
    });
}

/** Part of the plan of an update: objects that it would create, unless another account removed them. @param missing numbers by type. */
export function missingObjectsLine(missing: readonly (readonly [type: string, objects: number])[]): string {
  const parts = missing.map(([type, objects]) => {
    const name = type.replaceAll("_", " ");
    return counted(objects, name, name.endsWith("policy") ? name.replace(/y$/, "ies") : undefined);
  });
  return `others:   the target lacks ${parts.join(", ")}`;
}

/** Users whose second factor on the target is not the source's; undefined if there are none. */
export function otherOtpLine({ notUpdated }: Pick<Updates, "notUpdated">, names: Names): string | undefined {
  const users = notUpdated.filter(({ fields }) => fields.includes("otp"));
  if (users.length === 0) return undefined;
  const named = first(users, ({ userId }) => idWithName(userId, names.get(userId)));
  return `the one-time codes (OTP) of ${counted(users.length, "user")} in the input are not those of the target, or only one side has some: ${named}. The service takes an OTP secret only with a new user. Set up or remove the second factor on the target: until then, a sign-in there asks for the target's codes, or for none if it has none.`;
}

/** Users whose verified address an update replaces by an unverified one; undefined if there are none. */
export function unverifiedLine(
  { unverified }: Pick<Updates, "unverified">,
  isDone: boolean,
  names: Names,
): string | undefined {
  if (unverified.length === 0) return undefined;
  const get = isDone ? "got" : unverified.length === 1 ? "gets" : "get";
  const named = first(unverified, (id) => idWithName(id, names.get(id)));
  return `${counted(unverified.length, "user")} ${get} an unverified e-mail address in place of a verified one: ${named}. The former address receives no messages any more, and is a login name only if it is still the user name. migrate --email-domain makes such an address for a user without one: to keep the former one, add it to the input, or leave the user out.`;
}

/** What to do about existing users that differ. @param how the update of what an update can change. */
export function differentHint(users: readonly { readonly fields: readonly string[] }[], how: string): string {
  const hasOtp = users.some(({ fields }) => fields.includes("otp"));
  const isOtpOnly = hasOtp && users.every(({ fields }) => fields.every((field) => field === "otp"));
  return [
    ...linesIf(!isOtpOnly, how),
    ...linesIf(hasOtp, "No update changes one-time codes (otp): set up or remove the second factor on the target."),
  ].join(" ");
}

/** The messages that the service sends because of an update. */
export function updateMessagesLine({ mails, sms }: { readonly mails: number; readonly sms: number }): string {
  return `messages: the service will send up to ${counted(mails, "e-mail")} and ${count(sms)} SMS, for new addresses and phone numbers, and passwords that are set`;
}

/** Whose login names are shown beside the ids: users of the input, the first of each list. */
export function idsToName(updates: Updates): readonly string[] {
  const { create, update, conflict, kept, notInFile, closedByOther, notUpdated, unverified } = updates;
  const ofChanged = (list: readonly Changed[]): readonly string[] => list.slice(0, FIRST).map(({ userId }) => userId);
  return [
    ...[create, unverified, updates.absent, ...listsOfRemoved(updates)].flatMap((list) => list.slice(0, FIRST)),
    ...[update, conflict, kept, notInFile, closedByOther, notUpdated].flatMap(ofChanged),
    ...conflict
      .filter(isOpenOnTarget)
      .slice(0, SHOWN)
      .map(({ userId }) => userId),
  ];
}

function first<T>(list: readonly T[], text: (one: T) => string, between = ", "): string {
  const rest = list.length - FIRST;
  return `${list.slice(0, FIRST).map(text).join(between)}${rest > 0 ? `, … ${count(rest)} more (--report)` : ""}`;
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
  return `the run of ${moment(since)} ended without a result. Users that it created count as existing, and are in no manifest, so undo does not know them. What it left undone is done now.`;
}

/** Whether the state file is used; `since` is the time of its last use. */
export function stateLine(use: StateUse, since: string): string {
  return use === "used" ? `reading changes since ${since}` : `${whyAll[use]}; comparing all users`;
}
