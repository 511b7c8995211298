import { type ProblemTable, say } from "./description.ts";
import type { OfHost, Peer } from "./facts.ts";
import { count, counted, shellWord } from "./format.ts";
import { type AddressFault, addressFaults, peers } from "./peers.ts";

/** What a refusal to send e-mails advises. */
export interface MailAdvice {
  readonly fewer?: true | undefined;
  /** So many of the users get it because their password is set, which --no-mail cannot prevent. */
  readonly passwords?: number | undefined;
}

/** ", 3 of them because their passwords are set" */
export function becauseOfPasswords({ passwords = 0 }: MailAdvice): string {
  if (passwords === 0) return "";
  return `, ${count(passwords)} of them because ${passwords === 1 ? "the password is set" : "their passwords are set"}`;
}

/** True if --no-mail sends no e-mail at all. */
export function canPreventMails({ fewer, passwords = 0 }: MailAdvice): boolean {
  return fewer === undefined && passwords === 0;
}

/** A column that a table does not have. */
export interface MissingColumn {
  readonly name: string;
  /** A column of the table with a similar name. */
  readonly suggestion?: string;
  /** Several columns match the name. */
  readonly isAmbiguous?: boolean;
  /** So many columns have this one name. */
  readonly times?: number;
}

interface OfTable {
  readonly columns: readonly string[];
}

/** Ways to read an unknown layout. */
interface Proposal {
  readonly presets: readonly string[];
  /** What the usual names give, with `<column>` or `<path>` for what was not found. */
  readonly mapping: string;
}

interface TwoFlags {
  readonly flags: readonly [string, string];
}

/** As many lists of a document stand in a message. */
const MOST_LISTS = 5;

/** A command line that cannot be carried out: exit 2. */
export const usageProblems = {
  "usage.invalid": ({ message }: { readonly message: string }) => say(message),
  /** Usually a variable of a script that is not set. */
  "usage.empty-path": ({ flag }: { readonly flag: string }) =>
    say(`${flag} is empty.`, "Is a variable of the script not set?"),
  "usage.no-such-column": ({ missing, columns }: OfTable & { readonly missing: readonly MissingColumn[] }) =>
    say(`no such column: ${missing.map(missingColumn).join(", ")}.`, columnsOf(columns)),
  "usage.doubled-column": ({ column, times }: { readonly column: string; readonly times: number }) =>
    say(
      `the column ${column} occurs ${times === 2 ? "twice" : `${count(times)} times`} in the header row.`,
      "Rename or remove the others: it is unclear which one is meant.",
    ),
  "usage.no-column-for": ({
    fields,
    columns,
    preset,
  }: OfTable & {
    readonly fields: readonly string[];
    /** The preset that was named; absent: none was. */
    readonly preset?: string;
  }) =>
    say(
      `no column for ${fields.join(" or ")}.`,
      `${preset === undefined ? "" : `Is it a table of --preset ${preset}? Without --preset, the table is recognized if possible. Otherwise: `}Name one with --map ${fields.map((field) => `${field}=<column>`).join(",")}. ${columnsOf(columns)}`,
    ),
  "usage.unknown-table": ({ columns, presets, mapping }: OfTable & Proposal) =>
    say(
      "unknown table layout: no --map or --preset, and no preset matches the header row.",
      `${proposal(mapping, "columns")} or --preset ${presets.join("|")}. ${columnsOf(columns)}`,
    ),
  "usage.other-preset": ({ given, fitting }: { readonly given: string; readonly fitting: string }) =>
    say(
      `the users have the layout of --preset ${fitting}, not of --preset ${given}.`,
      `Use --preset ${fitting}. To read them with --preset ${given} all the same, name some of the fields with --map.`,
    ),
  "usage.no-header": ({ preset }: { readonly preset: string }) =>
    say(
      "no header row: the first row is a user.",
      `Add a row of column names; for a file of firebase auth:export, use --preset ${preset}.`,
    ),
  "usage.title-line": ({ names }: { readonly names: readonly string[] }) =>
    say(
      "the first line of the table is a title.",
      `Remove the lines before the column names: ${listedColumns(names)}.`,
    ),
  "usage.unknown-rows": ({
    paths,
    presets,
    mapping,
    lists,
    list,
    provider,
  }: Proposal & {
    /** Of the first users. */
    readonly paths: readonly string[];
    /** Paths to lists of objects, which may be the users, the proposed one first. */
    readonly lists: readonly string[];
    /** The list that the first users are in; absent: none, or one that `--list` cannot name. */
    readonly list?: string | undefined;
    /** The file may be one of this provider, which has a command of its own. */
    readonly provider?: { readonly source: string; readonly title: string };
  }) =>
    say(
      "unknown layout: no --map or --preset, and no preset matches the first users.",
      `${provider === undefined ? "" : `If this is a file of ${provider.title}, use orgferry migrate ${provider.source}. Otherwise: `}${proposal(mapping, "paths", list)} or ${inList(list)}--preset ${presets.join("|")}${whereUsersAre(lists, list)}.${paths.length === 0 ? "" : ` The first users have: ${listedColumns(paths)}.`}`,
    ),
  "usage.no-list": ({ lists }: { readonly lists: readonly string[] }) =>
    say("the document has no path of --map.", `Say where its users are: --list ${listedLists(lists)}.`),
  "usage.no-path-for": ({ fields }: { readonly fields: readonly string[] }) =>
    say(
      `no path for ${fields.join(" or ")}.`,
      `Name one with --map ${fields.map((field) => `${field}=<path>`).join(",")}.`,
    ),
  "usage.plain-passwords": () =>
    say(
      "--map password=<column> reads plain passwords, and --plain-passwords is not set.",
      "Add --plain-passwords to hash them; for password hashes, use --map hash=<column>.",
    ),
  "usage.conflict": ({ flags: [first, second] }: TwoFlags) =>
    say(`${first} and ${second} cannot be used together.`, "Use one of them."),
  "usage.output-is-input": ({ flag, path }: { readonly flag: string; readonly path: string }) =>
    say(`${flag} would overwrite the input ${path}.`, "Choose another path."),
  "usage.same-output": ({ flags: [first, second], path }: TwoFlags & { readonly path: string }) =>
    say(`${first} and ${second} would both write ${path}.`, "Choose another path for one of them."),
  "usage.no-file": () =>
    say(
      "nothing to import: no file is named.",
      "Name a file (- is stdin), or set --gcs-bucket, --gcs-path and --gcs-service-account.",
    ),
  "usage.no-address": ({ side }: { readonly side: Peer }) =>
    say(`no address of ${peers[side].who}.`, `Use ${peers[side].flag}, or set ${peers[side].address}.`),
  "usage.bad-address": ({ side, fault }: { readonly side: Peer; readonly fault: AddressFault }) =>
    say(`the address of ${peers[side].who} ${addressFaults[fault]}`),
  "usage.same-instance": ({ host }: OfHost) =>
    say(`source and target are the same instance (${host}).`, "Name two instances."),
  "usage.bad-proxy": ({ variable, suggestion }: { readonly variable: string; readonly suggestion: string }) =>
    say(
      `${variable} is not a valid proxy address.`,
      `Write it with its scheme, for example ${variable}=${suggestion}.`,
    ),
  "usage.mails-not-confirmed": ({
    host,
    mails,
    sms = 0,
    command,
    hasLimit,
    ...advice
  }: OfHost &
    MailAdvice & {
      readonly mails?: number;
      readonly sms?: number;
      readonly command: string;
      /** The e-mails are allowed by `--max-mails`. */
      readonly hasLimit?: true;
    }) =>
    say(
      `${host} would send ${mails === undefined ? "e-mails" : counted(mails, "e-mail")}${becauseOfPasswords(advice)}${sms === 0 ? "" : ` and ${count(sms)} SMS`}, and there is no terminal to ask; nothing was sent.${hasLimit === undefined ? "" : " --max-mails answers for e-mails only, not for SMS."}`,
      `To send them: ${command}${canPreventMails(advice) ? " (or with --no-mail in place of --yes, to send none)" : ""}.`,
    ),
  "usage.no-shard": ({ variable }: { readonly variable: string }) =>
    say(
      `--shard auto: ${variable} does not name the shard.`,
      "An Indexed Job sets JOB_COMPLETION_INDEX; set JOB_COMPLETIONS to its number of completions, or use --shard 2/8.",
    ),
} satisfies ProblemTable;

/** A map is tried as it is if nothing is missing. */
function proposal(mapping: string, places: "columns" | "paths", list?: string): string {
  return isWhole(mapping)
    ? `Try ${inList(list)}--map ${shellWord(mapping)}`
    : `Name the ${places} with ${inList(list)}--map ${mapping},…`;
}

function inList(list: string | undefined): string {
  return list === undefined ? "" : `--list ${shellWord(list)} `;
}

/** Which lists may have the users, besides the proposed one. */
function whereUsersAre(lists: readonly string[], proposed: string | undefined): string {
  const others = lists.filter((list) => list !== proposed);
  if (proposed !== undefined) return others.length === 0 ? "" : `; other lists: ${listedLists(others)}`;
  return `; ${lists.length === 0 ? "--list <path>" : `--list ${listedLists(lists)}`} says where the users are`;
}

/** True for a proposed map without a placeholder. */
export function isWhole(mapping: string): boolean {
  return !/=<(?:column|path)>(?:,|$)/.test(mapping);
}

/** `data.staff|data.teams` */
function listedLists(lists: readonly string[]): string {
  return lists.slice(0, MOST_LISTS).map(shellWord).join("|");
}

function missingColumn({ name, suggestion, isAmbiguous }: MissingColumn): string {
  if (isAmbiguous === true) return `${name} (several columns match, none exactly)`;
  return suggestion === undefined ? name : `${name} (did you mean ${suggestion}?)`;
}

/** The number of columns that are listed. */
const NAMED_COLUMNS = 60;

function columnsOf(columns: readonly string[]): string {
  if (/^sep=/i.test(columns[0] ?? "")) return "The first line (sep=) is a setting of a spreadsheet program: remove it.";
  return `The table has: ${listedColumns(columns)}.`;
}

/** The first names of a long list, and how many more there are. */
export function listedColumns(names: readonly string[]): string {
  const more = names.length > NAMED_COLUMNS ? `, and ${count(names.length - NAMED_COLUMNS)} more` : "";
  return names.slice(0, NAMED_COLUMNS).join(", ") + more;
}
