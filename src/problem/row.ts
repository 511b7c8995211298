import { type Description, type ProblemsOf, say } from "./description.ts";
import type { InDocument, Place } from "./facts.ts";
import { count, counted, place, shown } from "./format.ts";
import {
  type EmailRule,
  emailRules,
  type HashRule,
  hashRules,
  type PasswordRule,
  passwordRules,
  type UnmatchedReason,
  unmatchedReasons,
} from "./rules.ts";

/** The field that the problem is about. */
interface OfField {
  readonly field: string;
}

/** `limit`: levels. */
interface TooDeep {
  readonly limit: number;
}

interface OfList {
  readonly list: string;
}

/** The place of the earlier user; no file: the same file. */
interface Earlier {
  readonly firstLine: number;
  readonly firstFile?: string;
}

/** With `--same-email link`: why the account was not linked to the user who is kept. */
interface Unlinked {
  readonly notLinked?: NotLinked;
}
export type NotLinked = keyof typeof notLinkedReasons;

interface OfOther {
  readonly other: Place;
}

/** A word of the input that is not known, and what `--value` can say that it means. */
export interface UnknownWord {
  /** As `--value` names it. */
  readonly field: string;
  /** undefined: a text that may be about one user, and that no message may have. */
  readonly text: string | undefined;
  /** `active, inactive, locked or deleted`. */
  readonly meanings: string;
}

/** An entry of the table: the words for many rows at once, and for one row without its place. */
interface Entry {
  /** It stands alone as well as behind the name of a field. */
  readonly many: string;
  readonly one: (facts: never) => Description;
}

const INVALID_HASH = "not a password hash that the service can check";
const LINK =
  " If both have one verified address, --same-email link moves the accounts at identity providers that --idp names to the user who is kept.";
const notLinkedReasons = {
  "several-persons":
    "; the accounts were not linked, because the users of this name do not all have one verified e-mail address, or because one of them is inactive or locked",
  password: "; the account was not linked, because it has a password or signs in at the source itself",
  "no-account": "; the account was not linked, because it has no account at an identity provider that --idp names",
  unknown: "",
} as const;
const FIX_ENTRY = "Fix or remove the entry.";

/** Why a row of an input was rejected (design: "Nothing is lost"). */
const rows = {
  "row.malformed": {
    many: "invalid JSON",
    one: ({ isCut }: { readonly isCut?: true }) =>
      isCut === true
        ? say(
            "invalid JSON: the row is cut off.",
            "If it is the last row, the file is incomplete: export or copy it again. Otherwise fix the row.",
          )
        : say("invalid JSON.", "Fix the row, or export it again."),
  },
  "row.not-object": {
    many: "not a JSON object",
    one: () => say("not a JSON object.", "Each row must be an object that describes one user."),
  },
  "row.invalid-utf8": {
    many: "invalid UTF-8",
    one: () => say("invalid UTF-8.", "Save the file as UTF-8, or fix the row."),
  },
  "row.too-deep": {
    many: "nested too deep",
    one: ({ limit }: TooDeep) => say(`nested more than ${count(limit)} levels.`, "Fix the row, or export it again."),
  },
  "row.columns": {
    many: "more or fewer columns than the header row",
    one: ({ expected, found }: { readonly expected: number; readonly found: number }) =>
      say(
        `${counted(found, "column")}, and the header row has ${count(expected)}.`,
        "Does a value contain the delimiter or a line break without quotes?",
      ),
  },
  "field.missing": {
    many: "required value missing",
    one: (_: OfField) => say("required value missing.", "Add it, or remove the user."),
  },
  "field.type": {
    many: "wrong type",
    one: ({ expected }: OfField & { readonly expected: string }) =>
      say(`must be ${expected}.`, "Fix the value, or export the row again."),
  },
  "field.spreadsheet": {
    many: "value that a spreadsheet damaged",
    one: (_: OfField) =>
      say(
        "a spreadsheet put this text in the place of the value: an error, a shortened number, or an apostrophe in front of a number or an address.",
        "Export the table from its source again, or correct the value.",
      ),
  },
  /** `word`: what `--value` can explain. */
  "field.word": {
    many: "unknown word",
    one: ({ expected, word }: OfField & { readonly expected: string; readonly word: UnknownWord }) =>
      say(
        `must be ${expected}.`,
        `Say what the word means with --value ${word.field}:<word>=<${word.meanings}>, or fix the value.`,
      ),
  },
  "field.too-long": {
    many: "longer than the service accepts",
    one: ({ limit, unit }: OfField & { readonly limit: number; readonly unit: "characters" | "bytes" }) =>
      say(`longer than the ${count(limit)} ${unit} that the service accepts.`, "Shorten it."),
  },
  "field.too-deep": {
    many: "nested too deep",
    one: ({ limit }: OfField & TooDeep) =>
      say(`its JSON is nested more than ${count(limit)} levels.`, "Fix or remove the value."),
  },
  "field.email": {
    many: "not an e-mail address that the service accepts",
    /** `isMadeUp`: the address was made of the field, which is none. */
    one: ({ rule, isMadeUp }: OfField & { readonly rule: EmailRule; readonly isMadeUp?: true }) =>
      isMadeUp === true
        ? say(
            `no e-mail address, and the service does not accept the one that --email-domain makes of this field: ${emailRules[rule]}.`,
            "Add an address to the user at the source or in the rejected row.",
          )
        : say(`not an e-mail address that the service accepts: ${emailRules[rule]}.`, "Fix the address."),
  },
  "field.phone": {
    many: "not a phone number that the service accepts",
    one: (_: OfField) =>
      say("a phone number must begin with + and have at most 50 characters.", "Fix the number, or remove it."),
  },
  "field.hash": {
    many: INVALID_HASH,
    one: ({ rule }: OfField & { readonly rule: HashRule }) => describeHash(rule),
  },
  "field.password": {
    many: "not a password that can be hashed",
    one: ({ rule }: OfField & { readonly rule: PasswordRule }) => passwordRules[rule],
  },
  "field.nul": {
    many: "contains a NUL character",
    one: (_: OfField) => say("contains a NUL character, which the service rejects.", "Remove it."),
  },
  "field.lone-surrogate": {
    many: "contains half of a surrogate pair",
    one: (_: OfField) => say("contains half of a surrogate pair, which the service rejects.", "Fix the character."),
  },
  "element.not-object": {
    many: "entry of a list that is not a JSON object",
    one: ({ list }: OfList) => say(`each entry of ${list} must be a JSON object.`, FIX_ENTRY),
  },
  "element.no-content": {
    many: "entry of a list without its main value",
    one: ({ list }: OfList & OfField) =>
      say(`missing; the service crashes on an entry of ${list} without it.`, FIX_ENTRY),
  },
  "element.second-grant": {
    many: "second role grant of a user in a project",
    one: (earlier: Earlier) =>
      say(
        `the role grant at ${earlierPlace(earlier)} is of the same user and project with other roles: the service keeps one grant, so these roles would be lost.`,
        "Write all roles into one grant.",
      ),
  },
  "element.second-membership": {
    many: "second membership of a user in an organization, a project or a project grant",
    one: (earlier: Earlier) =>
      say(
        `the membership at ${earlierPlace(earlier)} is of the same user and place with other roles: the service keeps one membership, so these roles would be lost.`,
        "Write all roles into one membership.",
      ),
  },
  "element.second-metadata": {
    many: "second value of a user's metadata",
    one: (earlier: Earlier) =>
      say(
        `the metadata at ${earlierPlace(earlier)} is of the same user and key with another value: the user would get only one of the two.`,
        "Remove one. In a file with corrected users, remove the metadata of a user together with the user.",
      ),
  },
  "user.duplicate-id": {
    many: "duplicate user id",
    one: (earlier: Earlier) =>
      say(`duplicate id: the user at ${earlierPlace(earlier)} has the same.`, "The first user is kept: remove one."),
  },
  "user.deleted-too": {
    many: "same id in a row that says that the user is deleted",
    one: (earlier: Earlier) =>
      say(
        `the row at ${earlierPlace(earlier)} has the same id, and one of the two says that the user is deleted.`,
        "The first row decides: remove the wrong one.",
      ),
  },
  "user.duplicate-name": {
    many: "duplicate user name",
    one: ({ notLinked, ...earlier }: Earlier & Unlinked) =>
      say(
        `duplicate user name: the user at ${earlierPlace(earlier)} has the same (the service ignores case)${reasonOf(notLinked)}.`,
        `The first user is kept: merge the two accounts, or change one user name.${adviceOf(notLinked)}`,
      ),
  },
  "user.passed-over": {
    many: "duplicate user name; the user with a password was kept",
    one: ({ notLinked, ...earlier }: Earlier & Unlinked) =>
      say(
        `duplicate user name: the user at ${earlierPlace(earlier)} has the same and a password, and was kept instead${reasonOf(notLinked)}.`,
        `Merge the two accounts, or change one user name; --same-email first keeps the first user.${adviceOf(notLinked)}`,
      ),
  },
  "user.better-rejected": {
    many: "duplicate user name; the user who was kept is closed or has no verified address, the rejected one is open and verified",
    one: ({ notLinked, ...earlier }: Earlier & Unlinked) =>
      say(
        `duplicate user name: the user at ${earlierPlace(earlier)} has the same and was kept, but is closed or has an address that is not verified; this user is open and has a verified address${reasonOf(notLinked)}.`,
        `Compare the two accounts: the one that was kept may be another person's. To keep this user, remove the other row; to keep both, change one user name.`,
      ),
  },
  "user.gone-too": {
    many: "duplicate user name; the user who is not deleted at the source was kept",
    one: (earlier: Earlier) =>
      say(
        `duplicate user name: this user is deleted at the source, and the user at ${earlierPlace(earlier)} has the same and was kept.`,
        "To keep both, change one user name. Otherwise remove this row.",
      ),
  },
  "user.linked": {
    many: "merged into another user as links",
    one: (earlier: Earlier) =>
      say(
        `duplicate user name: its accounts at identity providers became links of the user at ${earlierPlace(earlier)}.`,
      ),
  },
  "user.shared-name": {
    many: "user name of several users",
    one: () =>
      say(
        "several users of the file have this user name, so none of them is imported.",
        "Merge the accounts, or choose one with --same-email.",
      ),
  },
  "user.no-email": {
    many: "required e-mail address missing",
    one: ({ flag }: OfField & { readonly flag: string }) =>
      say("required e-mail address missing.", `Add one, or use ${flag} to make one from the user name or id.`),
  },
  "user.bad-hash": {
    many: "user of a password row with an unusable hash",
    one: ({ other, rule }: OfOther & { readonly rule: HashRule }) => {
      const { message, hint } = hashRules[rule];
      return say(`the password hash at ${place(other)} is unusable: ${message}; the user is not imported.`, hint);
    },
  },
  "user.password-row-rejected": {
    many: "password row rejected",
    one: ({ other }: OfOther) =>
      say(
        `the password row at ${place(other)} was rejected, so the user is not imported.`,
        "Fix both rows and run again.",
      ),
  },
  "password.bad-hash": {
    many: INVALID_HASH,
    one: ({ rule }: { readonly rule: HashRule }) => describeHash(rule),
  },
  "password.names-nobody": {
    many: "password row without a user id",
    one: () => say("no _id.$oid, alt_id or e-mail address names a user.", "Add the id of the user."),
  },
  "password.unmatched": {
    many: "password row that matches no user",
    one: ({ why }: { readonly why: UnmatchedReason }) => say(unmatchedReasons[why]),
  },
  "password.user-rejected": {
    many: "password row of a rejected user",
    one: () => say("its user was rejected; the row is kept, so that the hash can be imported with the fixed user."),
  },
} satisfies Readonly<Record<string, Entry>>;

type RowCode = keyof typeof rows;
type RowWords = { [Code in RowCode]: (typeof rows)[Code]["one"] };

/** What is wrong with a row, without the row's place. */
export type RowFault = InDocument & { readonly field?: string } & ProblemsOf<RowWords>;
/** Why a row of an input was rejected. These are values in the stream, never thrown. */
export type RowProblem = RowFault & { readonly file: string; readonly line: number };

/** A row's problem with its place. */
export function describeRow(problem: RowProblem): Description {
  const { message, hint } = describeRowCause(problem);
  return say(`${rowPrefix(problem)}${message}`, hint);
}

/** What stands in front of a row's message: `body.json:7: user 17: orgs[0].humanUsers[1].user.email.email: `. */
export function rowPrefix(row: RowSubject & Parameters<typeof place>[0]): string {
  return [place(row), ...subjectOf(row), ""].join(": ");
}

/** The user and the field of a row. */
type RowSubject = Partial<Pick<RowProblem, "id" | "path" | "field">>;

/** A row's problem without its place, for reports that have separate keys for file, line and field. */
export function describeRowCause(problem: RowFault): Description {
  const words = rows[problem.code].one as (facts: RowFault) => Description; // the entry of a code takes its facts
  return words(problem);
}

/** The user and the field of an element of a document: `user 17`, `orgs[0].humanUsers[1].user.email.email`. Of a row of a source no value is said. */
function subjectOf({ id, path, field }: RowSubject): string[] {
  const steps = [path, field].filter((step) => step !== undefined && step !== "").join(".");
  return [
    ...(id === undefined || path === undefined ? [] : [`${path.includes(".humanUsers[") ? "user " : ""}${shown(id)}`]),
    ...(steps === "" ? [] : [steps]),
  ];
}

/** A reason of many rows: `email: not an e-mail address that the service accepts`. An unknown code is returned as it is. */
export function describeReason({
  code,
  field,
}: {
  readonly code: string;
  readonly field?: string | undefined;
}): string {
  const words = isReason(code) ? rows[code].many : code;
  return field === undefined ? words : `${field}: ${words}`;
}

/** True for the code of a row's problem; false for one that ends a run. */
export function isReason(code: string): code is RowCode {
  return Object.hasOwn(rows, code);
}

function describeHash(rule: HashRule): Description {
  const { message, hint } = hashRules[rule];
  return say(`${INVALID_HASH}: ${message}.`, hint);
}

/** Why the account of a duplicate was not linked; "" without `--same-email link`. */
function reasonOf(notLinked: NotLinked = "unknown"): string {
  return notLinkedReasons[notLinked];
}

/** The flag that links accounts is advice for runs without it. */
function adviceOf(notLinked: NotLinked | undefined): string {
  return notLinked === undefined ? LINK : "";
}

function earlierPlace({ firstLine, firstFile }: Earlier): string {
  return firstFile === undefined ? `line ${firstLine}` : place({ file: firstFile, line: firstLine });
}
