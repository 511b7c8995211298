import { dirname, resolve } from "node:path";
import { verifiers as allVerifiers, type Verifier, verifierSetting } from "../../contract/verifiers.ts";
import type { ColumnUse, MergeResult, UnreadState } from "../../core/merge/counts.ts";
import type { HashPolicy } from "../../core/merge/hashes.ts";
import { expandNames, isReadOnce } from "../../io/input/patterns.ts";
import type { BodyFile } from "../../io/output/body-files.ts";
import {
  bytes,
  count,
  counted,
  duration,
  firstOf,
  linesIf,
  shellWord,
  shown,
  shownNames,
  unmetLine,
} from "../../problem/format.ts";
import { describeLeftOut, describeRemarks } from "../../problem/remark.ts";
import type { Source } from "../../sources/source.ts";
import { migratedBreaches, targetLimitsFlag } from "../../ui/summary/hash-limits.ts";
import { keptRows, leftBehindLines } from "../../ui/summary/left-behind.ts";
import { type NextStep, shellLine } from "../../ui/terminal/next-steps.ts";
import type { Ui } from "../../ui/ui.ts";
import { ONLY_NAMES } from "../shared/pilot/select.ts";

export interface Migrated {
  readonly result: MergeResult;
  readonly outputs: readonly BodyFile[];
  readonly rejects: string | undefined;
  /** Flags that read what was rejected. */
  readonly adviceLines: readonly string[];
  readonly org: string;
  readonly source: Pick<Source, "carriedBy" | "credentials">;
  readonly policy: HashPolicy;
  /** The plain passwords that were hashed; undefined: the input has none. */
  readonly plainPasswords:
    | { readonly hashed: number; readonly durationMs: number; readonly mostEqual: number; readonly bcryptCost: number }
    | undefined;
  /** false: no body was written. */
  readonly isWritten: boolean;
}

/** The files that a migration reads: one of them may have its default name. */
export function filesLine(names: readonly string[]): string {
  return `input          ${names.map(shown).join(", ")}`;
}

/** What the entries of flags are that name something of the users. */
const NAMED_OF_USERS: Readonly<Record<string, string>> = {
  "--grant": "role or group",
  "--idp": "identity provider",
  "--metadata": "attribute",
  "--only": ONLY_NAMES,
  "--org-map": "organization",
  "--value": "value",
};

/** Names the entries of flags that fit no user. */
export function unmetLines(unmet: Readonly<Record<string, readonly string[]>>): readonly string[] {
  return Object.entries(unmet)
    .filter(([, names]) => names.length > 0)
    .map(([flag, names]) => unmetLine(flag, names, `${NAMED_OF_USERS[flag]} of a user who was not rejected`));
}

/** Counts the ids of tables, such as those of roles, that no user of the input has; ids are never on the terminal. */
export function unmatchedIdLines(ids: Readonly<Record<string, readonly string[]>>): readonly string[] {
  return Object.entries(ids)
    .filter(([, all]) => all.length > 0)
    .map(
      ([flag, all]) =>
        `${flag}: ${counted(all.length, "id")} of the table ${all.length === 1 ? "is" : "are"} no id of a user in the input, so their rows have no effect (--report lists them)`,
    );
}

/** Fields of `--value` for which no column is read. */
export function unreadFieldsLine(values: readonly string[], { used }: Pick<ColumnUse, "used">): string | undefined {
  const fields = [...new Set(values.map((value) => value.slice(0, value.indexOf(":"))))];
  const unread = fields.filter((field) => field !== "" && !Object.hasOwn(used, field));
  const [first] = unread;
  return first === undefined
    ? undefined
    : `--value: no column is read as ${unread.map(shown).join(", ")}. Name it with --map ${first}=<column>.`;
}

/** @param others the names of the other parts in the folder. */
export function otherPartsLine(file: string, others: readonly string[], flag: string): string {
  const names = firstOf(others.map(shown), 5);
  return `${shown(file)} is one part of an export. Other parts in its folder are not read: ${names}. To read all parts, use ${flag} ${shown(dirname(file))}`;
}

/** Prints the counts of a migration: each row is in exactly one of them (design: "Nothing is lost"). */
export function sayMigrated(ui: Ui, migrated: Migrated): void {
  const { result, outputs, rejects, adviceLines, org, source, policy, plainPasswords, isWritten } = migrated;
  const written = isWritten ? "written" : "would have written";
  const { users, passwords } = result;
  const { paint } = ui;
  ui.say(
    `${paint.bold("users")}          read ${count(users.read)} = ${written} ${count(users.written)} + rejected ${count(users.rejected)}${users.leftOut === 0 ? "" : ` + left out ${count(users.leftOut)}`}`,
  );
  const fromEmail =
    users.nameFromEmail === 0
      ? ""
      : `; ${count(users.nameFromEmail)} without a full name ${users.nameFromEmail === 1 ? "gets the" : "get their"} user name`;
  ui.say(
    `               ${written}: ${count(users.withHash)} with password, ${count(users.withoutHash)} without${fromEmail}`,
  );
  if (passwords.read > 0) {
    ui.say(
      `${paint.bold("password rows")}  read ${count(passwords.read)} = used ${count(passwords.used)} + superseded ${count(passwords.superseded)}` +
        ` + unmatched ${count(passwords.unmatched)} + rejected ${count(passwords.rejected)}`,
    );
    if (passwords.withoutHash > 0)
      ui.say(
        `               ${counted(passwords.withoutHash, "row")} without a password: no hash, or a hash that was dropped`,
      );
  }
  const mailed = users.written - users.silent;
  if (isWritten && mailed > 0) {
    ui.say(
      `e-mails        ${count(mailed)} at most on import, to users without a password or with an unverified address (import --dry-run counts them)`,
    );
  }
  if (plainPasswords !== undefined) {
    const { hashed, durationMs, mostEqual, bcryptCost } = plainPasswords;
    ui.say(`passwords      ${count(hashed)} hashed with bcrypt, cost ${bcryptCost}, in ${duration(durationMs)}`);
    if (mostEqual >= MANY_EQUAL)
      ui.warn(
        `${count(mostEqual)} users have one and the same password. If it stands for no password, empty these cells, so that no user gets a password that others know.`,
      );
  }
  if (result.columns !== undefined) for (const line of columnLines(result.columns)) ui.say(line);
  const lines = [...hashLines(result, policy), ...limitLines(result, policy), ...notes(result)];
  for (const line of [...lines, ...leftBehindLines(result.leftBehind, source.carriedBy)]) ui.say(line);
  for (const line of result.columns === undefined ? [] : unreadLines(result.columns)) ui.warn(line);
  const { "hash-as-name": hashesAsNames = 0 } = result.remarks;
  if (hashesAsNames > 0) for (const line of describeRemarks({ "hash-as-name": hashesAsNames })) ui.warn(line);
  for (const line of adviceLines) ui.say(line);
  if (rejects !== undefined) ui.say(`${keptRows(result)}, with reasons: ${rejects}`);
  for (const output of outputs) {
    ui.say(
      `${paint.green("wrote")} ${output.path === "-" ? "stdout" : output.path}: ${counted(output.users, "user")} for organization ${org}${andOthers(output.otherOrgs?.length ?? 0)}, ${bytes(output.bytes)}`,
    );
  }
  if (outputs.length > 0 && users.written === 0) ui.warn(emptyBodyLine(result));
  else if (passwords.read > 0 && passwords.used + passwords.superseded === 0)
    ui.warn(noneUsedLine(passwords.read, source.credentials));
}

/** Their ids are from rows: only the report has them. */
function andOthers(orgs: number): string {
  return orgs === 0 ? "" : ` and ${counted(orgs, "other")}`;
}

/** So many users with one password are named: the text may be a word for "no password". */
const MANY_EQUAL = 3;

/** Shown when a file of passwords gives no user a password. */
function noneUsedLine(rows: number, credentials: Migrated["source"]["credentials"]): string {
  const none =
    credentials === undefined ? "" : ` If these users have no password rows, use --${credentials.flag} none.`;
  return `no password row (of ${count(rows)}) belongs to a written user. Is it the password file of this user file?${none}`;
}

function emptyBodyLine({ users, leftOut }: MergeResult): string {
  const others = leftOut["not-selected"] ?? 0;
  const reason =
    others > 0 && users.rejected > 0
      ? `of ${counted(others, "user")} that could be written, --only, --where and --limit select none (--where compares the values of the body, such as state=active)`
      : users.rejected > 0 || users.leftOut === 0
        ? "no row could be written"
        : others === users.leftOut
          ? "none is selected by --only, --where and --limit"
          : "all rows are left out";
  return `the import body has no users, because ${reason}: there is nothing to import.`;
}

/** Hashes out of the limits of the target, with the settings of the target that accept them. */
function limitLines(
  { hashesOutOfLimits }: MergeResult,
  { enforcesLimits = false }: Migrated["policy"],
): readonly string[] {
  const lines = migratedBreaches(hashesOutOfLimits, enforcesLimits).flatMap(({ what, setting }) => [
    `hash limits    ${what}`,
    `               to import them, set on the target: ${setting}`,
  ]);
  const isAll = lines.length > 0 && enforcesLimits;
  return [...lines, ...linesIf(isAll, `               and migrate with ${targetLimitsFlag(hashesOutOfLimits)}`)];
}

/** Where the ids of the target are found, by the flag that takes them. */
const WHERE_IDS: Readonly<Record<string, string>> = {
  "--org": "orgferry doctor lists the organizations of the target with their ids",
  "--org-map": "orgferry doctor lists the organizations of the target with their ids",
  "--idp": "orgferry doctor lists the identity providers of the target with their ids",
  "--grant": "the console shows the id on the page of the project, and an id that --projects gave is right",
};

/** Warnings about values that may be names: the service generates ids of digits, but it takes others, too. */
export function nameLines(ids: Readonly<Record<string, readonly string[]>>): readonly string[] {
  return Object.entries(ids).flatMap(([flag, values]) => {
    const [first] = values.filter((value) => !/^\d+$/.test(value));
    return linesIf(
      first !== undefined,
      `${flag}: is ${first} a name? It must be an id, usually a long number: ${WHERE_IDS[flag] ?? ""}.`,
    );
  });
}

/** A warning about users of several organizations who get roles in projects that the body neither creates nor grants to them. */
export function grantLines(orgIds: readonly string[], projectIds: readonly string[] = []): readonly string[] {
  return linesIf(
    orgIds.length > 1 && projectIds.length > 0,
    `--grant: a project belongs to one organization. Users of others get roles in it only if it is granted to their organization: --projects <id>=<name> does that, or do it on the target before the import (${shownNames(projectIds)}).`,
  );
}

/** Shown when the tables may not fit into `--memory`. */
export function inPartsLine(folder: string): string {
  return `--memory: the tables of users are kept in encrypted files in ${folder}, and the users are read twice`;
}

/** Shown when the rows of the rejects are not kept. */
export function notKeptLine(result: MergeResult): string {
  return `${keptRows(result)} are not kept when the output is a stream: name a folder with --rejects.`;
}

/** The reason of exit code 1, in one line. */
export function rejectedLine({ users, passwords }: MergeResult, rejects: string | undefined): string {
  const where = rejects === undefined ? "" : ` (${rejects})`;
  return `${counted(users.rejected, "user")} of ${count(users.read)} and ${counted(passwords.rejected, "password row")} were rejected${where}.`;
}

/** The next commands for the bodies, which are one job; none for a stream, which cannot be read again. */
export function nextSteps(
  outputs: readonly BodyFile[],
  cwd: string,
  unverifiable: HashPolicy["unverifiable"],
  { withoutHash }: Pick<MergeResult["users"], "withoutHash">,
): readonly NextStep[] {
  const [first] = outputs;
  if (first === undefined || isReadOnce(first.path, cwd)) return [];
  const paths = outputs.map(({ path }) => path);
  const number = /\d+(?=\.[^./\\]*$|$)/;
  const patterns = [first.path.replace(number, "*"), first.path.replace(number, (digits) => "?".repeat(digits.length))];
  const pattern = paths.length > 1 ? patterns.find((one) => fitsOnly(one, paths, cwd)) : undefined;
  const names = pattern === undefined ? paths : [pattern];
  const isLater = unverifiable === "later";
  const flags = isLater ? ["--no-mail", "--dry-run"] : ["--dry-run"];
  const preview = { why: "Next, preview the import", command: shellLine(["orgferry", "import", ...names, ...flags]) };
  const invite = shellLine(["orgferry", "invite", first.path, "--dry-run"]);
  const isForInvite = isLater || (unverifiable === "drop" && withoutHash > 0);
  return isForInvite && names.length === 1
    ? [preview, { why: "After the import, preview the e-mails", command: invite }]
    : [preview];
}

/** True when the pattern matches exactly these files. */
function fitsOnly(pattern: string, paths: readonly string[], cwd: string): boolean {
  const wanted = new Set(paths.map((path) => resolve(cwd, path)));
  const found = expandNames([pattern], cwd);
  return found.length === wanted.size && found.every((path) => wanted.has(resolve(cwd, path)));
}

/** Remarks on the written users and the skipped rows. */
function notes({ remarks, leftOut, leftOutUsers, leftBehind, columns }: MergeResult): readonly string[] {
  // The line of the providers says which links are lost, and a warning which names are hashes.
  const { "link-lost": linkLost = 0, "hash-as-name": _, ...others } = remarks;
  const isNamed = Object.keys(leftBehind.providers).length > 0;
  const lines = describeRemarks(isNamed || linkLost === 0 ? others : { ...others, "link-lost": linkLost });
  return [
    ...entriesOf(leftOut).flatMap(([reason, times]) => [
      `left out       ${count(times)}: ${describeLeftOut(reason)}`,
      ...linesIf(reason === "deleted", ...closeLine(columns?.used ?? {})),
    ]),
    ...lines,
    // Values of rows, ids too, are in the report and on the page, never on the terminal.
    ...linesIf(lines.length > 0 || leftOutUsers !== undefined, "(--report and --html name the users of these remarks)"),
  ];
}

/** How users who are deleted at the source are deactivated; without a column that says it, nothing. */
function closeLine({ deleted, state }: Partial<ColumnUse["used"]>): readonly string[] {
  const ways = [
    ...linesIf(deleted !== undefined, "--value deleted:yes=inactive"),
    ...linesIf(state !== undefined, "--value state:<word>=inactive, with the word for deleted users"),
  ];
  return linesIf(
    ways.length > 0,
    `               to deactivate these users with import --update: ${ways.join(", or ")} (those that the target lacks are created as inactive)`,
  );
}

/** The entries of a record of counts, typed by its keys. */
function entriesOf<Key extends string>(counts: Partial<Record<Key, number>>): readonly (readonly [Key, number])[] {
  return Object.entries(counts) as [Key, number][]; // the keys are those of the type
}

/** `1,200 password rows, 3,400 users`. */
export function readSoFar({ users, passwords }: Pick<MergeResult, "users" | "passwords">): string {
  const rows = [counted(users.read, "user")];
  if (passwords.read > 0) rows.unshift(counted(passwords.read, "password row"));
  return rows.join(", ");
}

/** Which hashes need a setting of the target, and which flags write the others. */
export function hashLines(
  { hashes, unverifiable, remarks }: Pick<MergeResult, "hashes" | "unverifiable" | "remarks">,
  policy: Pick<HashPolicy, "verifiers" | "unverifiable">,
): readonly string[] {
  const enabled = allVerifiers.filter((name) => policy.verifiers.has(name));
  const written = namesOf(hashes);
  const missing = namesOf(unverifiable);
  const all = allVerifiers.filter((name) => enabled.includes(name) || missing.includes(name));
  const required = verifierSetting(written);
  // Those of all password rows are counted, also if the user is rejected or the row is not used.
  const dropped = Object.values(unverifiable).reduce((sum, rows) => sum + rows, 0);
  const isOfOthers = dropped > (remarks["hash-dropped"] ?? 0);
  const whose = isOfOthers ? ", not all of them of written users: without these hashes, users" : ": these users";
  return [
    ...linesIf(required !== undefined, `hashes         ${counts(hashes)}; required on the target: ${required}`),
    ...linesIf(
      missing.length > 0,
      policy.unverifiable === "reject"
        ? `not written    ${counts(unverifiable)}: users with these could not sign in, because the target checks only ${enabled.join(", ")} (--unverifiable drop|later writes them without a password)`
        : `hash dropped   ${counts(unverifiable)}${whose} have no password, because the target checks only ${enabled.join(", ")}`,
      `               to write ${policy.unverifiable === "reject" ? "them" : "the hashes"}: ${verifierSetting(all)} on the target, and --target-verifiers ${all.join(",")} here; orgferry doctor --probe then prints these flags with the limits of the costs`,
    ),
  ];
}

/** Always in the order of the verifiers. */
function namesOf(counted: Partial<Record<Verifier, number>>): readonly Verifier[] {
  return allVerifiers.filter((name) => (counted[name] ?? 0) > 0);
}

function counts(counted: Partial<Record<Verifier, number>>): string {
  return namesOf(counted)
    .map((name) => `${count(counted[name] ?? 0)} ${name}`)
    .join(", ");
}

/** The number of columns that are named. */
const NAMED = 30;

/** Which columns of a table were read. */
function columnLines({ preset, isRecognized, unused, notFound = [], hashByValues }: ColumnUse): readonly string[] {
  const more = unused.length > NAMED ? `, and ${count(unused.length - NAMED)} more` : "";
  return [
    ...linesIf(preset !== undefined && isRecognized === true, `columns        recognized as --preset ${preset}`),
    ...linesIf(
      hashByValues !== undefined,
      `hashes         read from ${hashByValues}, by its values; if they are no passwords of the users: --map hash=<column>`,
    ),
    ...linesIf(
      unused.length > 0,
      `not read       ${unused.slice(0, NAMED).join(", ")}${more}; --map <field>=<column> reads a column as a field, --map metadata.<key>=<column> keeps it`,
    ),
    ...linesIf(notFound.length > 0, `not found      no user has ${notFound.join(", ")}: correct --map`),
  ];
}

/** Warnings about hashes that are not read, where no hash is read, and about states. */
function unreadLines({ unreadHashes = [], unreadStates = [], used, preset }: ColumnUse): readonly string[] {
  const has = unreadHashes.length === 1 ? "is not read and has" : "are not read and have";
  const says = unreadStates.length === 1 ? "is not read and says" : "are not read and say";
  // With a field in the map, a preset is no longer recognized.
  const flag = `${preset === undefined ? "" : `--preset ${preset} `}--map`;
  const placesOf = (field: UnreadState["field"]) =>
    unreadStates.filter((one) => one.field === field).map((one) => one.place);
  const map = (["deleted", "state"] as const).flatMap((field) => {
    const places = placesOf(field);
    return places.length === 0
      ? []
      : [`${field}=${[...(used[field] === undefined ? [] : [used[field]]), ...places].join("|")}`];
  });
  return [
    ...linesIf(
      unreadHashes.length > 0,
      `${shownNames(unreadHashes)} ${has} what looks like password hashes, and these users get no password. To read such a place, add ${flag} hash=<name>.`,
    ),
    ...linesIf(
      unreadStates.length > 0,
      `${shownNames(unreadStates.map(({ place }) => place))} ${says} that users are closed or deleted, and these users are written as open. To read ${unreadStates.length === 1 ? "it" : "them"}, add ${flag} ${shellWord(map.join(","))}.`,
    ),
  ];
}
