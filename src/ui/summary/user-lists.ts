import { count, counted, idWithName, linesIf, moment, type Names, shown } from "../../problem/format.ts";
import type { ReportFields } from "../report.ts";
import type { LeftObjects } from "./left-objects.ts";

/** Which one-time codes an update changes. */
export const CODES_OF_UPDATE =
  "An update gives one-time codes (otp) only to users that this account created and that never had codes on the target, if no other account has changed them since. What the users did themselves counts, too, such as a password reset or the link of an e-mail; a sign-in does not. Of others, set up or remove the second factor there.";

// The lists of users of an update, in the words of each output: the terminal, annotations, the summary of a job and the page.

type Known<T> = { readonly [Key in keyof T as string extends Key ? never : Key]: T[Key] };

/** The lists of an update, as a report has them. */
export type Updates = Known<NonNullable<ReportFields<"import">["update"]>>;
export type Changed = NonNullable<Updates["conflict"]>[number];

/** Users that an update changes. */
interface ChangedUsers {
  readonly mark: string;
  /** `created`, or before the run `create`. */
  readonly words: string;
  readonly users: readonly Changed[];
}

/** Users that an update leaves as they are, wholly or in some fields. */
export interface LeftUsers {
  /** `2 users keep values …`. */
  readonly words: string;
  /** What to do; empty if there is nothing to do. */
  readonly hints: readonly string[];
  readonly users: readonly Changed[];
  /** warning: the terminal warns of them. reason: they are among the reasons of the exit code. */
  readonly as: "note" | "warning" | "reason";
}

/** What is said of left users, in place of the words of a list. */
interface Kind extends Partial<Pick<LeftUsers, "hints" | "as">> {
  readonly users: readonly Changed[] | undefined;
  /** All of them, if the list may lack some. */
  readonly all?: number | undefined;
  /** What follows the number of users: for one, and for several. */
  readonly words: (isOne: boolean) => string;
}

/** Users who stay because the source deleted more of them than allowed. */
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

/** Values that stay although the export lacks them, because the export may be incomplete. */
export const VALUES_KEPT = {
  message:
    "the export lacks values, and the source's event log does not show that they were removed; the target keeps them",
  hint: "The export is incomplete: run again later.",
} as const;

/** Of users whose address or number is verified on the target, and not in the input. */
export const VERIFIED_STAYS = "A verified address or number cannot become unverified.";

/** Of values that the target has and a file lacks. */
export const NOT_REMOVED = "If the target is to lose them, remove them there by hand.";

const BY_HAND = "To delete such an account, do it by hand";

/** The users that an update changes, or would change if it is not done. Lists may be empty. */
export function changedUsers(update: Updates, isDone: boolean): readonly ChangedUsers[] {
  return [
    { mark: "+", words: isDone ? "created" : "create", users: ofIds(update.create) },
    { mark: "~", words: isDone ? "updated" : "update", users: update.update ?? [] },
    { mark: "-", words: isDone ? "deleted" : "delete", users: ofIds(update.delete) },
    { mark: "-", words: isDone ? "deactivated" : "deactivate", users: ofIds(update.deactivate) },
  ];
}

/** The users that an update leaves, besides conflicts; no list is empty. @param isCopy by a copy, which has no file. */
export function leftUsers(update: Updates, isDone: boolean, isCopy: boolean): readonly LeftUsers[] {
  return [...valuesLeft(update, isDone, isCopy), ...usersLeft(update, isDone)].flatMap(
    ({ users = [], all = users.length, words, hints = [], as = "note" }) =>
      all === 0 ? [] : [{ words: `${counted(all, "user")} ${words(all === 1)}`, hints, users, as }],
  );
}

/** Users with fields that stay as they are. */
function valuesLeft(
  { kept, notInFile = [], closedByOther, notUpdated = [], unverified, conflict = [] }: Updates,
  isDone: boolean,
  isCopy: boolean,
): readonly Kind[] {
  const has = (users: readonly Changed[], isOne: (field: string) => boolean): boolean =>
    users.some(({ fields }) => fields.some(isOne));
  return [
    {
      users: kept,
      words: (isOne) =>
        `${isOne ? "keeps" : "keep"} values that the export lacks, because the source's event log does not show that they were removed`,
      hints: [VALUES_KEPT.hint],
      as: "reason",
    },
    {
      users: notInFile,
      words: (isOne) =>
        `${isOne ? "keeps" : "keep"} values that the file lacks, because a file does not show whether they were removed`,
      hints: [
        NOT_REMOVED,
        ...linesIf(
          has(notInFile, (field) => field === "state"),
          "Users that this account locked or deactivated, and that have no state in the file, become active with --prefer source.",
        ),
      ],
    },
    {
      users: closedByOther,
      words: (isOne) =>
        `${isOne ? "is" : "are"} locked or inactive on the target by another account, without a state in the input`,
      hints: ["They stay so, also with --prefer source. If they are to be active, make them active on the target."],
    },
    {
      users: notUpdated,
      words: (isOne) => `${isOne ? "differs" : "differ"} in fields that an update cannot change`,
      hints: [
        ...linesIf(
          has(notUpdated, (field) => /^is\w+Verified$/.test(field)),
          VERIFIED_STAYS,
        ),
        ...linesIf(
          has(notUpdated, (field) => field === "passwordChangeRequired"),
          "passwordChangeRequired: the service takes it only with a password, and not of a user who never finished registration.",
        ),
        ...linesIf(
          has(notUpdated, (field) => field === "state"),
          "state: these users never finished registration, so the login page asks for the code of their first e-mail before the password. The input does not say that they are active, or another account created them: --prefer source --only <ids> finishes it.",
        ),
      ],
    },
    {
      users: conflict.filter((one) => one.settled === true && isOpenOnTarget(one)),
      words: (isOne) =>
        `${isOne ? "is" : "are"} locked or inactive in the input and not on the target, and --prefer target keeps it so`,
      hints: ["If they must not sign in there, lock or deactivate them on the target."],
      as: "warning",
    },
    {
      users: notUpdated.filter(({ fields }) => fields.includes("otp")).map(({ userId }) => ({ userId, fields: [] })),
      words: (isOne) =>
        `${isOne ? "has" : "have"} other one-time codes (OTP) on the target than in the input, or only on one side`,
      hints: [
        `${CODES_OF_UPDATE} Until then, a sign-in there asks for the target's codes, or for none if it has none.`,
      ],
      as: "warning",
    },
    {
      users: ofIds(unverified),
      words: (isOne) =>
        `${isDone ? "got" : isOne ? "gets" : "get"} an unverified e-mail address in place of a verified one`,
      hints: [
        "The former address receives no messages any more, and is a login name only if it is still the user name.",
        isCopy
          ? "The source has the new address, which the user has not verified there. If it is wrong, correct it at the source."
          : "migrate --email-domain makes such an address for a user without one: to keep the former one, add it to the input, or leave the user out.",
      ],
      as: "warning",
    },
  ];
}

/** Users that stay although the input lacks them, or that are never changed. */
function usersLeft(update: Updates, isDone: boolean): readonly Kind[] {
  const { absent = [], absentCount = 0, unchanged = 0, tooMany = [], removedAtSource, incomplete } = update;
  const { notOurs = [], otherPerson = [], protected: kept = [] } = update;
  const isOther = new Set(otherPerson);
  const isProtected = new Set(kept);
  const inFile = [update.create, update.update, update.conflict].reduce(
    (sum, list) => sum + (list?.length ?? 0),
    unchanged,
  );
  const stays = (why: string) => (isOne: boolean) =>
    `deleted at the source ${isOne ? "stays" : "stay"} on the target, because ${why}`;
  return [
    {
      users: ofIds(absent),
      all: absentCount,
      words: (isOne) =>
        `that this account created ${isOne ? "is not in the file, and stays" : "are not in the file, and stay"}`,
      hints: [
        ...linesIf(absent.length < absentCount, "orgferry verify names all of them."),
        absentCount > inFile
          ? "The file has fewer users than that, so it seems to be another one, or a part."
          : "They were removed from the file since, left out or rejected by migrate, or are of another file. If they are to go, delete or deactivate them on the target by hand.",
      ],
    },
    { users: ofIds(kept), words: () => "with a role on the instance, or of this job: never changed or deleted" },
    {
      users: ofIds(tooMany),
      words: (isOne) =>
        `${isOne ? "was" : "were"} deleted at the source, more of an organization than --max-deletes allows (without the flag: 1 in 100, at least 10): no user ${isDone ? "was" : "will be"} deleted`,
      hints: [TOO_MANY.hint(update.mostOfOrg ?? tooMany.length)],
      as: "reason",
    },
    {
      users: ofIds(removedAtSource),
      words: (isOne) => `${isOne ? "was" : "were"} deleted at the source and can still sign in on the target`,
      hints: ["To delete or deactivate such users, use --delete or --deactivate."],
    },
    {
      users: ofIds(incomplete),
      words: (isOne) =>
        `deleted at the source ${isOne ? "stays" : "stay"}, because the export of the organization is or may be incomplete, or users were skipped`,
      as: "reason",
    },
    {
      users: ofIds(notOurs.filter((id) => !isOther.has(id) && !isProtected.has(id))),
      words: stays("the service user of this run did not create the account there"),
      hints: [`${BY_HAND}, or run with the token of the service user that copied it.`],
      as: "warning",
    },
    {
      users: ofIds(notOurs.filter((id) => isOther.has(id))),
      words: stays("the account there was created for another person"),
      hints: [`${BY_HAND}.`],
      as: "warning",
    },
    {
      users: ofIds(notOurs.filter((id) => isProtected.has(id))),
      words: stays("the user has a role on the instance there, or is a service user of this job"),
      hints: [`${BY_HAND}.`],
      as: "warning",
    },
  ];
}

/** Left users in the form of left objects, which warnings and annotations show. @param names login names by id. */
export function asObjects({ words, hints, users }: LeftUsers, names: Names): LeftObjects {
  return {
    words: [`${words}.`, ...hints].join(" "),
    objects: users.map((one) => ({ kind: "user", name: userText(one, names) })),
    all: users.length,
    isToDo: true,
  };
}

/** `u1 (ann@example.com): email (by 234, …)`; without fields, only who it is. */
export function userText(user: Changed, names: Names): string {
  const who = idWithName(user.userId, names.get(user.userId));
  return user.fields.length === 0 ? who : `${who}: ${fieldsText(user)}`;
}

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

/** `by 234 (Ann), 2026-11-21 22:28 UTC`, or `by the user, …`. @param id of the user that was changed. */
function changedByText({ userId, name, at }: NonNullable<Changed["changedBy"]>, id: string): string {
  const who = userId === id ? "the user" : userId === undefined ? "an unknown account" : idWithName(userId, name);
  return `by ${who}, ${moment(at)}`;
}

/** True for a conflict of a user who can sign in on the target, and not by the input. */
function isOpenOnTarget({ states }: Pick<Changed, "states">): boolean {
  const isClosed = (state: string): boolean => state === "locked" || state === "inactive";
  return states !== undefined && isClosed(states.input) && !isClosed(states.target);
}

function ofIds(ids: readonly string[] = []): readonly Changed[] {
  return ids.map((userId) => ({ userId, fields: [] }));
}

/** The most users that a line of the terminal names. */
const FIRST = 5;

/** The first users in one line, and how many more there are. */
export function firstUsers(users: readonly Changed[], names: Names): string {
  const rest = users.length - FIRST;
  const between = users.some(({ fields }) => fields.length > 0) ? "; " : ", ";
  const first = users.slice(0, FIRST).map((one) => userText(one, names));
  return `${first.join(between)}${rest > 0 ? `, … ${count(rest)} more (--report)` : ""}`;
}
