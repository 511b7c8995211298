import { type Description, type ProblemTable, say, untouched } from "./description.ts";
import type { AtLine, OfDeed, OfFile, OfHost } from "./facts.ts";
import { bytes, count, counted, firstOf, place, shellWord, shown } from "./format.ts";

/** The kind of a file, recognized by its fields: made by orgferry or by the service, or a file of a provider. */
export type FoundKind =
  | { readonly kind: "body" | "export" | "export-v1" | "report" }
  | { readonly kind: "source"; readonly source: string; readonly title: string; readonly flag: string };

/** An input of several documents; `key` is the kind of name that a document has, and `flag` chooses a document. */
interface Documents extends OfFile {
  readonly key: string;
  readonly flag: string;
  readonly documents: readonly { readonly name: string; readonly rows: number }[];
}

/** `wanted` undefined: a body or an export. */
interface WrongKind extends OfFile {
  readonly found: FoundKind;
  readonly wanted?: { readonly source: string; readonly flag: string } | "manifest" | "journal";
}

/** As many documents stand in a message. */
const NAMED_DOCUMENTS = 20;
/** As many files of a folder stand in a message. */
const NAMED_FILES = 5;

const RIGHT_FILE = "Is it the right file?";
const RIGHT_JSON = "Is it the right file, in JSON or NDJSON?";

/** An input that cannot be used: exit 3. */
export const inputProblems = {
  /** `journal`: the file is written at the end of the import of this journal. */
  "input.missing": ({ file, flag, journal }: OfFile & { readonly flag: string; readonly journal?: string }) =>
    say(
      `${file}: no such file${journal === undefined ? "" : ", because its import is not finished"}.`,
      journal !== undefined
        ? `First continue the import with --resume: orgferry status ${journal} has the command.`
        : flag.startsWith("--")
          ? adviceForValue(file, flag)
          : (adviceForWord(file) ?? "Check the name and the folder."),
    ),
  "input.same-file": ({ file, flags }: OfFile & { readonly flags: readonly [string, string] }) =>
    say(
      `${flags[0]} and ${flags[1]} are the same file, ${file}; nothing was written.`,
      "Name a different file for one of them.",
    ),
  "input.wrong-kind": (facts: WrongKind) => describeWrongKind(facts),
  "input.unreadable": ({ file, reason }: OfFile & { readonly reason: string }) =>
    say(
      `${place({ file })}: cannot be read (${reason}).`,
      reason === "EACCES" || reason === "EPERM"
        ? "The account that runs orgferry may not read it: change the permissions of the file or its folder."
        : undefined,
    ),
  /** `inside`: a file in it that is named after the flag, as in a folder of rejects. */
  "input.directory": ({
    file,
    inside,
  }: OfFile & { readonly inside?: { readonly flag: string; readonly path: string } }) =>
    say(
      `${file}: is a directory.`,
      inside === undefined ? "Name a file." : `Name a file in it: ${inside.flag} ${inside.path}.`,
    ),
  "input.terminal": ({ file, flag }: OfFile & { readonly flag: string }) =>
    say(`${place({ file })} is a terminal; ${flag} needs a file or a pipe.`, "Name a file, or use a pipe."),
  "input.changed": ({ file }: OfFile) =>
    say(`${file}: changed while orgferry was reading it.`, "Run again when no other program writes to it."),
  "input.gzip": ({ file, truncated }: OfFile & { readonly truncated: boolean }) =>
    say(
      `${place({ file })}: the gzip data is ${truncated ? "incomplete" : "damaged"}.`,
      "Download or copy the file again.",
    ),
  "input.empty": ({ file }: OfFile) =>
    say(`${place({ file })}: is empty.`, "Is it the right file, and did the command that wrote it succeed?"),
  "input.no-rows": ({ file }: OfFile) => say(`${place({ file })}: contains no rows.`, RIGHT_FILE),
  "input.not-utf8": ({ file, line }: OfFile & { readonly line: number }) =>
    say(
      `${place({ file, line })}: is not UTF-8. Tables from spreadsheets are often in Windows-1252 (Latin-1).`,
      `Save the table as "CSV UTF-8", or convert it: iconv -f WINDOWS-1252 -t UTF-8 <table> > <new table>`,
    ),
  "input.not-lines": ({ file, shape }: OfFile & { readonly shape: "array" | "values" }) =>
    say(
      `${place({ file })}: ${shape === "array" ? "is a JSON array" : "contains objects of several lines"}; --multiline needs one object per line.`,
      "Remove --multiline: orgferry detects the format.",
    ),
  /** `inside`: the files that may be an input, and the folders. */
  "input.no-files": ({
    file,
    names,
    inside,
  }: OfFile & { readonly names: string; readonly inside: readonly string[] }) =>
    say(
      `${file}: contains no files with the names of an export (${names}).`,
      inside.length === 0
        ? "Is it the right folder?"
        : `It has ${inside.slice(0, NAMED_FILES).map(shown).join(", ")}${inside.length > NAMED_FILES ? ", …" : ""}: name one of these.`,
    ),
  "input.unfit": ({ file, what, instead }: OfFile & { readonly what: string; readonly instead: string }) =>
    say(`${place({ file })}: this is ${what}.`, instead),
  "input.several-documents": ({ file, key, flag, documents }: Documents) =>
    say(
      `${place({ file })}: contains users of several ${key}s: ${listed(documents)}.`,
      `Choose one with ${flag}; to move the others, run again with another --output.`,
    ),
  "input.no-such-document": ({ file, key, flag, documents, wanted }: Documents & { readonly wanted: string }) =>
    say(
      `${place({ file })}: contains no users of a ${key} named ${wanted}, only of ${listed(documents)}.`,
      `Choose one of these with ${flag}.`,
    ),
  "input.name-too-late": ({ file, key }: OfFile & { readonly key: string }) =>
    say(
      `${place({ file })}: the ${key} stands after its users, and it is not the one asked for.`,
      `Put each ${key} into a separate file, or put "${key}" first.`,
    ),
  /** `line`: the first line of the row; `foundAt`: the line of the quote in a wrong place. */
  "input.broken-table": ({ file, line, foundAt }: AtLine & { readonly foundAt: number }) =>
    say(
      foundAt > line
        ? `${place({ file, line })}: invalid CSV: a quote is missing in this row, or the quote in line ${foundAt} is in a wrong place.`
        : `${place({ file, line })}: invalid CSV: a missing quote, or a quote inside a value.`,
      "Fix the row, or export the table again; nothing was written.",
    ),
  "input.too-many-columns": ({ file, line, limit }: AtLine & { readonly limit: number }) =>
    say(
      `${place({ file, line })}: this row has more than ${count(limit)} columns.`,
      "Export the columns of the users alone; nothing was written.",
    ),
  "input.no-readable-row": ({ file, rows }: OfFile & { readonly rows: number }) =>
    say(
      `${place({ file })}: none of its ${counted(rows, "row")} is a JSON object.`,
      `${RIGHT_JSON} A table is read by orgferry migrate csv; Auth0's by orgferry migrate csv --preset auth0.`,
    ),
  "input.malformed": ({ file, line, ...of }: AtLine & OfDeed) =>
    say(`${place({ file, line })}: invalid JSON.`, `Fix the file, or export it again; ${untouched(of)}.`),
  "input.unclosed": ({ file, line, ...of }: AtLine & OfDeed) =>
    say(
      `${place({ file, line })}: the value that begins here never ends; the file may be incomplete.`,
      `Export or copy it again; ${untouched(of)}.`,
    ),
  "input.row-too-long": ({ file, line, limitBytes }: AtLine & { readonly limitBytes: number }) =>
    say(`${place({ file, line })}: one row is longer than ${bytes(limitBytes)}.`, RIGHT_JSON),
  "input.too-deep": ({ file, line, limit }: AtLine & { readonly limit: number }) =>
    say(`${place({ file, line })}: the value that begins here is nested more than ${count(limit)} levels.`, RIGHT_FILE),
  "input.seed": ({ file, reason }: OfFile & { readonly reason: string }) =>
    say(`${file}: not a valid seed for the mock: ${reason}.`, "Fix the file."),
  "input.bad-token": ({ file }: OfFile) =>
    say(`${file}: contains no token.`, "The file must contain the token and nothing else, on one line."),
  "input.not-a-body": ({ file }: OfFile) =>
    say(
      `${place({ file })}: neither an import body (dataOrgs, …) nor an export ({"orgs":[…]}).`,
      "Make an import body of the users of another system first: orgferry migrate json --org <id> --users <file>, or migrate auth0, keycloak or csv.",
    ),
  /** No `line`: the file is empty. */
  "input.not-a-manifest": ({ file, line }: Partial<AtLine> & OfFile) =>
    say(
      `${place({ file, line })}: not a manifest of orgferry, or an incomplete one; no user was deleted.`,
      "Use the file that the summary of import or copy names.",
    ),
  "input.not-a-journal": ({ file }: OfFile) =>
    say(
      `${file}: not a journal of an import.`,
      "While an import is not finished, its journal is beside its first file: <file>.journal.ndjson.",
    ),
  "input.other-target": ({ file, host, listed }: OfFile & OfHost & { readonly listed: string }) =>
    say(
      `${file} lists users of another instance, ${listed}, and not of ${host}; no user was deleted.`,
      `To delete them there, use --target ${listed} with a token of that instance; --force does not change this.`,
    ),
  "input.org-map": ({ file, line }: AtLine) =>
    say(
      `${place({ file, line })}: must be two ids, separated by a comma.`,
      "Write the id in the input, then the id on the target.",
    ),
  "input.org-not-mapped": ({ file, orgIds }: OfFile & { readonly orgIds: readonly string[] }) =>
    say(
      `${place({ file })}: ${counted(orgIds.length, "organization")} without an id on the target in --org-map: ${orgIds.slice(0, 5).map(shown).join(", ")}${orgIds.length > 5 ? ", …" : ""}.`,
      "Add the organization to --org-map, with the same id twice if it keeps its id, or remove it from the file.",
    ),
  "input.org-without-id": ({ file, line }: AtLine) =>
    say(`${place({ file, line })}: this organization has no orgId.`, "Add the id of the organization on the target."),
  "input.not-joinable": ({ file }: OfFile) =>
    say(
      `${place({ file })}: cannot be combined with other files.`,
      "A job of several files takes import bodies with dataOrgs alone, or exports alone.",
    ),
  "input.two-bodies": ({ file, keys }: OfFile & { readonly keys: readonly [string, string] }) =>
    say(
      `${place({ file })}: contains both ${keys[0]} and ${keys[1]}; the service accepts only one of them.`,
      "Split it into two files.",
    ),
  "input.not-a-service-account": ({ file }: OfFile) =>
    say(
      `${file}: not the key file of a service account (JSON with "type": "service_account"); nothing was sent.`,
      "Download the key of a service account as JSON.",
    ),
  "input.invalid-users": ({ file, users }: OfFile & { readonly users: number }) =>
    say(
      `${place({ file })}: the service would reject ${counted(users, "user")}, and one invalid user makes it reject the whole call; nothing was sent.`,
      "Fix them, or skip them with --skip-invalid.",
    ),
  "input.invalid-entries": ({ file, entries }: OfFile & { readonly entries: number }) =>
    say(
      `${place({ file })}: the service would reject or lose ${counted(entries, "entry", "entries")}, or crash on them; nothing was sent.`,
      "Fix or remove them: --skip-invalid skips users only.",
    ),
  "input.bad-timeout": ({ file }: OfFile) =>
    say(`${place({ file })}: its timeout is not a duration.`, 'Write it as "5m0s", or use --timeout.'),
} satisfies ProblemTable;

/** What the value of a flag for a file is meant to be. */
function adviceForValue(value: string, flag: string): string {
  if (/^https?:\/\//i.test(value))
    return `This is an address, and ${flag} takes a file: download it first. Or were the values of two flags swapped?`;
  return /[*?]/.test(value)
    ? `orgferry expands no pattern in ${flag}, and the shell none in quotes: name one file, and run once for each of several.`
    : `Name the right file with ${flag}.`;
}

/** What a word among the files is meant to be; undefined: a file. */
function adviceForWord(word: string): string | undefined {
  if (/^https?:\/\//i.test(word)) return "An address is the value of a flag, such as --target.";
  return /^[\u2010-\u2015\u2212]/.test(word)
    ? "Its first character is a long dash: a flag begins with two hyphens."
    : undefined;
}

function listed(documents: Documents["documents"]): string {
  return firstOf(
    documents.map(({ name, rows }) => `${name} (${count(rows)})`),
    NAMED_DOCUMENTS,
  );
}

const KINDS = {
  body: "an import body",
  export: "an export of an instance",
  "export-v1": "an export of an instance of version 1",
  source: "a file of a provider",
  report: "a report of orgferry",
} as const satisfies Record<FoundKind["kind"], string>;

function describeWrongKind({ file, found, wanted }: WrongKind): Description {
  const name = place({ file });
  if (wanted === "manifest")
    return say(
      `${name}: is ${KINDS[found.kind]}, not a manifest; no user was deleted.`,
      found.kind === "report"
        ? 'The report of an import or a copy names the manifest: "manifest".'
        : `The manifest of its import is ${name}.manifest.ndjson, of later imports ${name}-2.manifest.ndjson and so on, unless --manifest named another file.`,
    );
  if (wanted === "journal")
    return say(
      `${name}: is ${KINDS[found.kind]}, not a journal.`,
      found.kind === "report"
        ? 'The report of an import that is not finished has the command that continues it: "resume".'
        : `While its import is not finished, its journal is ${name}.journal.ndjson, unless --journal named another file.`,
    );
  const importIt = `Import it with orgferry import ${name}.`;
  switch (found.kind) {
    case "body":
      return say(`${name}: is an import body already.`, importIt);
    case "export":
    case "export-v1":
      return say(`${name}: is ${KINDS[found.kind]}.`, importIt);
    case "report":
      return say(
        `${name}: is ${KINDS.report}.`,
        wanted === undefined ? "Name the body or the export." : "Name the file with the users.",
      );
    case "source": {
      const what = `${name}: is a file for --${found.flag} of ${found.title}`;
      if (wanted === undefined)
        return say(
          `${what}, not a body or an export; nothing was sent.`,
          `Make a body of it first: orgferry migrate ${found.source} --org <id> --${found.flag} ${name}`,
        );
      return wanted.source === found.source
        ? say(`${what}, not for --${wanted.flag}.`, "Swap the two files?")
        : say(`${what}.`, `Use orgferry migrate ${found.source} --org <id> --${found.flag} ${shellWord(file)}`);
    }
    default:
      return found satisfies never;
  }
}
