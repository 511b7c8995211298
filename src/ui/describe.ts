import type {
  EmailRule,
  HashRule,
  MissingColumn,
  PasswordRule,
  Place,
  Problem,
  RowFault,
  RowProblem,
  RunProblem,
  UnmatchedReason,
} from "../problem.ts";
import { describeFetch, isFetchProblem } from "./describe-fetch.ts";
import { describeService } from "./describe-service.ts";
import type { Description } from "./description.ts";
import { bytes, count, counted } from "./format.ts";

/** The only prose for failures. Never holds the content of a row, a hash or a token. */
export function describe(problem: Problem): Description {
  return "line" in problem && /^(row|field|element|user|password)\./.test(problem.code)
    ? describeRow(problem as RowProblem) // the code says which half of the union it is
    : describeRun(problem as RunProblem);
}

/** `users.json:12` or `users.json`. */
export function place({ file, line }: Place): string {
  const name = file === "-" ? "stdin" : file;
  return line === undefined ? name : `${name}:${line}`;
}

function describeRow(problem: RowProblem): Description {
  const { message, hint } = describeRowCause(problem);
  const where = problem.field === undefined ? place(problem) : `${place(problem)}: ${problem.field}`;
  return { message: `${where}: ${message}`, ...(hint === undefined ? {} : { hint }) };
}

/** A row's problem without its place, for reports that carry file, line and field in keys of their own. */
export function describeRowCause(problem: RowFault): Description {
  switch (problem.code) {
    case "row.malformed":
      return { message: "not valid JSON.", hint: "Fix the row, or export it again." };
    case "row.not-object":
      return { message: "not a JSON object.", hint: "Each row must be an object that describes one user." };
    case "row.invalid-utf8":
      return { message: "not valid UTF-8.", hint: "Save the file as UTF-8, or fix the row." };
    case "row.columns":
      return {
        message: `it has ${counted(problem.found, "column")}, and the first row has ${count(problem.expected)}.`,
        hint: "Is a value that holds the delimiter or a line break without its quotes?",
      };
    case "field.missing":
      return { message: "missing.", hint: "The service needs it: add it, or leave the user out." };
    case "field.type":
      return { message: `must be ${problem.expected}.`, hint: "Fix the value, or export the row again." };
    case "field.too-long":
      return {
        message: `longer than the ${count(problem.limit)} ${problem.unit} that the service accepts.`,
        hint: "Shorten it.",
      };
    case "field.email":
      return {
        message: `not an e-mail address that the service accepts: ${emailRules[problem.rule]}.`,
        hint: "Fix the address.",
      };
    case "field.phone":
      return { message: "must begin with + and have at most 50 characters.", hint: "Fix the number, or remove it." };
    case "field.hash":
      return {
        message: `not a password hash that the service can check: ${hashRules[problem.rule]}.`,
        hint: hashHint(problem.rule),
      };
    case "field.password":
      return { message: passwordRules[problem.rule].message, hint: passwordRules[problem.rule].hint };
    case "field.nul":
      return { message: "contains a NUL character, which the service refuses.", hint: "Remove it." };
    case "field.lone-surrogate":
      return { message: "contains half of a surrogate pair, which the service refuses.", hint: "Fix the character." };
    case "element.not-object":
      return { message: `${problem.list} must contain nothing but JSON objects.`, hint: "Fix or remove the entry." };
    case "element.no-content":
      return {
        message: `missing. An entry of ${problem.list} without it would end the whole process of the service.`,
        hint: "Fix or remove the entry.",
      };
    case "user.duplicate-id":
      return {
        message: `the user at ${firstPlace(problem)} has the same id.`,
        hint: "The first one is kept: remove one of them.",
      };
    case "user.duplicate-name":
      return {
        message: `the user name is already taken by the user at ${firstPlace(problem)} (upper and lower case are the same to the service).`,
        hint: "The first one is kept: merge the two accounts, or change one e-mail address.",
      };
    case "user.passed-over":
      return {
        message: `the user at ${firstPlace(problem)} has the same user name and a password, and was written in place of this one.`,
        hint: "Merge the two accounts, or change one e-mail address; --same-email first keeps the first one.",
      };
    case "user.linked":
      return {
        message: `its accounts at identity providers became links of the user at ${firstPlace(problem)}, who has the same user name.`,
      };
    case "user.shared-name":
      return {
        message: "several users of the file have this user name, so none of them is imported.",
        hint: "Merge the accounts, or choose one with --same-email.",
      };
    case "user.no-email":
      return {
        message: "missing, and the service makes no user without an e-mail address.",
        hint: `Add one, or have one made of the user name with ${problem.flag}.`,
      };
    case "user.bad-hash":
      return {
        message: `the password hash at ${place(problem.other)} is unusable, so the user is not imported.`,
        hint: "Fix the hash, or remove its passwordHash to import the user without a password.",
      };
    case "user.password-row-rejected":
      return {
        message: `the password row at ${place(problem.other)} was rejected, so the user is not imported.`,
        hint: "Fix both rows and run again.",
      };
    case "password.bad-hash":
      return {
        message: `not a password hash that the service can check: ${hashRules[problem.rule]}.`,
        hint: hashHint(problem.rule),
      };
    case "password.names-nobody":
      return {
        message: "names no user: neither _id.$oid nor alt_id nor an e-mail address.",
        hint: "Add the id of the user it belongs to.",
      };
    case "password.unmatched":
      return { message: unmatchedReasons[problem.why] };
    case "password.user-rejected":
      return { message: "its user was rejected; the row is kept, so that the user gets this hash once it is fixed." };
    default:
      return problem satisfies never;
  }
}

function documents({ documents: all }: { readonly documents: readonly { name: string; rows: number }[] }): string {
  return all.map(({ name, rows }) => `${name} (${count(rows)})`).join(", ");
}

function firstPlace({ firstLine, firstFile }: { readonly firstLine: number; readonly firstFile?: string }): string {
  return firstFile === undefined ? `line ${firstLine}` : place({ file: firstFile, line: firstLine });
}

const emailRules: Readonly<Record<EmailRule, string>> = {
  shape: "it must have the plain form name@domain",
  "local-part-length": "the part before the @ is longer than 64 bytes",
  "total-length": "it is longer than 254 bytes",
  domain: "the part after the @ is not a host name (write international domains in punycode)",
};

const hashRules: Readonly<Record<HashRule, string>> = {
  type: "it is not a string",
  prefix: "it is neither bcrypt ($2a$, $2b$ or $2y$) nor of another kind that is known",
  cost: "its cost must be 04 to 31",
  length: "it must be 60 characters long",
  alphabet: "it contains characters that bcrypt does not use",
  "not-enabled": "the target does not check hashes of this kind, unless --target-verifiers names it",
  "not-convertible": "it cannot be turned into a form that the service reads",
  ambiguous: "several systems write this form and mean different things by it; the kind has to be named",
  apr1: "it is Apache's own MD5, which the service does not check",
  argon2d: "it is argon2d, and the service checks argon2i and argon2id alone",
  "argon2-version": "it is of version 1.0 of argon2, and the service checks version 1.3 alone",
  des: "it is crypt's DES, which the service does not check",
  "firebase-scrypt": "it is Firebase's own scrypt, which the service does not check",
  keyed: "a secret key (pepper) went into it, and the service has no place for that",
  ntlm: "it is an NT hash, which the service does not check",
  plain: "it is a password, not the hash of one",
  "pre-hashed": "the password went through another function first, which the service does not apply",
  salt: "its salt is missing or not in a form that the service reads",
  "salt-place": "it is salted MD5, and it is not known whether the salt goes in front of the password or behind it",
  sha: "it is SHA-1 or SHA-2 of password and salt, which the service does not check",
  "unknown-kind": "no verifier of the service reads hashes of its kind",
  "unknown-name": "its kind has a name that is not known",
};

/** What is wrong with the form of one can be asked for again; of another kind, all of them are. */
function hashHint(rule: HashRule): string {
  switch (rule) {
    case "not-enabled":
      return "Enable its verifier on the target and name it, or have --unverifiable drop the hash.";
    case "type":
    case "prefix":
    case "cost":
    case "length":
    case "alphabet":
      return "Ask for this user's hash again, or remove it.";
    case "ambiguous":
    case "salt-place":
    case "unknown-name":
      return "Find out what made it and name that kind, or have --unverifiable drop the hash.";
    case "plain":
      return "Have the passwords hashed, or remove them.";
    default:
      return "Have --unverifiable drop the hash; the user sets a new password then.";
  }
}

const passwordRules: Readonly<Record<PasswordRule, { readonly message: string; readonly hint: string }>> = {
  "too-long": {
    message: "longer than the 72 bytes that bcrypt takes.",
    hint: "Remove it, so that the user sets a new password.",
  },
  hash: { message: "the hash of a password, not a password.", hint: "Name its column with --map hash=<column>." },
  nul: { message: "contains a NUL character, which no password may.", hint: "Fix or remove it." },
};

const unmatchedReasons: Readonly<Record<UnmatchedReason, string>> = {
  "no-profile": "no user of the profile file has this id or e-mail address.",
  "email-shared":
    "no user has this id, and the e-mail address belongs to several users or password rows, so none of them gets the hash.",
  "not-a-database-user": "no user has this id, and the user with this e-mail address signs in with another provider.",
  "user-has-own-row": "no user has this id, and the user with this e-mail address has a password row of its own.",
};

function missingColumn({ name, suggestion, isAmbiguous }: MissingColumn): string {
  if (isAmbiguous === true) return `that alone is ${name}: several are written much alike`;
  return suggestion === undefined ? name : `${name} (did you mean ${suggestion}?)`;
}

/** As many are named. */
const NAMED_COLUMNS = 60;

function columnsOf(columns: readonly string[]): string {
  const more = columns.length > NAMED_COLUMNS ? `, and ${count(columns.length - NAMED_COLUMNS)} more` : "";
  return `It has ${columns.slice(0, NAMED_COLUMNS).join(", ")}${more}.`;
}

function describeRun(problem: RunProblem): Description {
  switch (problem.code) {
    case "usage.invalid":
      return { message: problem.message };
    case "usage.no-such-column":
      return {
        message: `the table has no column ${problem.missing.map(missingColumn).join(", and none called ")}.`,
        hint: columnsOf(problem.columns),
      };
    case "usage.no-column-for":
      return {
        message: `no column is ${problem.fields.join(" or ")}.`,
        hint: `Name it with --map ${problem.fields.map((field) => `${field}=<column>`).join(",")}. ${columnsOf(problem.columns)}`,
      };
    case "usage.unknown-table":
      return {
        message: "nobody said which column is what, and the first row is of no table that is known.",
        hint: `${problem.general === undefined ? "" : `Try --preset ${problem.general.preset}, which takes it as ${problem.general.mapping}; or `}${problem.general === undefined ? "Name" : "name"} the columns with --map userId=<column>,email=<column>,… or --preset ${problem.presets.join("|")}. ${columnsOf(problem.columns)}`,
      };
    case "usage.no-header":
      return {
        message: "the first row holds a user, not the names of the columns.",
        hint: `Put a row of names in front; a file of firebase auth:export goes with --preset ${problem.preset}.`,
      };
    case "usage.plain-passwords":
      return {
        message: "--map password=<column> is for passwords themselves.",
        hint: "Add --plain-passwords to have them hashed; the hashes of passwords go with --map hash=<column>.",
      };
    case "usage.conflict":
      return {
        message: `${problem.flags[0]} and ${problem.flags[1]} cannot be used together.`,
        hint: "Use one of them.",
      };
    case "usage.same-output":
      return {
        message: `${problem.flags[0]} and ${problem.flags[1]} would both write ${problem.path}.`,
        hint: "Name another path.",
      };
    case "usage.output-is-input":
      return { message: `${problem.flag} would overwrite the input ${problem.path}.`, hint: "Name another path." };
    case "input.missing":
      return { message: `${problem.file}: no such file.`, hint: `Name it with ${problem.flag}.` };
    case "input.unreadable":
      return { message: `${place(problem)}: cannot be read (${problem.reason}).` };
    case "input.directory":
      return { message: `${problem.file}: is a directory.`, hint: "Name a file." };
    case "input.terminal":
      return {
        message: `${place(problem)} is a terminal, and ${problem.flag} needs a file or a pipe.`,
        hint: "Name a file, or pipe it in.",
      };
    case "input.changed":
      return {
        message: `${problem.file}: changed while it was being read.`,
        hint: "Run again when nothing writes to it.",
      };
    case "input.gzip":
      return {
        message: `${place(problem)}: ${problem.truncated ? "the gzip data ends too early" : "the gzip data is damaged"}.`,
        hint: "Download or copy the file again.",
      };
    case "input.empty":
      return {
        message: `${place(problem)}: is empty.`,
        hint: "Is it the right file, and did the command that wrote it succeed?",
      };
    case "input.no-rows":
      return { message: `${place(problem)}: contains no rows.`, hint: "Is it the right file?" };
    case "input.not-lines":
      return {
        message: `${place(problem)}: ${problem.shape === "array" ? "is a JSON array" : "has objects that span lines"}, and --multiline takes each line for one object.`,
        hint: "Leave --multiline out: the form of the file is found out by looking.",
      };
    case "input.no-files":
      return { message: `${problem.file}: contains no file that could be read.`, hint: "Is it the right folder?" };
    case "input.unfit":
      return { message: `${place(problem)}: this is ${problem.what}.`, hint: problem.instead };
    case "input.several-documents":
      return {
        message: `${place(problem)}: it contains users of several ${problem.key}s: ${documents(problem)}.`,
        hint: `Choose one with ${problem.flag}.`,
      };
    case "input.no-such-document":
      return {
        message: `${place(problem)}: it contains no users of a ${problem.key} named ${problem.wanted}, but of ${documents(problem)}.`,
        hint: `Choose one of these with ${problem.flag}.`,
      };
    case "input.name-too-late":
      return {
        message: `${place(problem)}: the ${problem.key} stands behind its users, and another one is wanted.`,
        hint: `Give each ${problem.key} as a file of its own, or put "${problem.key}" first.`,
      };
    case "input.broken-table":
      return {
        message: `${place(problem)}: the table is not valid here: a quote is missing, or is inside a value.`,
        hint: "Fix the row, or export the table again; nothing was written.",
      };
    case "input.not-utf8":
      return { message: `${place(problem)}: is not valid UTF-8.`, hint: "Save the file as UTF-8." };
    case "input.no-readable-row":
      return {
        message: `${place(problem)}: none of its ${counted(problem.rows, "row")} is a JSON object.`,
        hint: "Is it the right file, in JSON or NDJSON?",
      };
    case "input.malformed":
      return {
        message: `${place(problem)}: the JSON is not valid here.`,
        hint: "Fix the file, or export it again; nothing was written.",
      };
    case "input.unclosed":
      return {
        message: `${place(problem)}: the value that begins on this line never ends; the file may be cut off.`,
        hint: "Export or copy it again; nothing was written.",
      };
    case "input.row-too-long":
      return {
        message: `${place(problem)}: one row is longer than ${bytes(problem.limitBytes)}.`,
        hint: "Is it the right file, in JSON or NDJSON?",
      };
    case "input.too-deep":
      return {
        message: `${place(problem)}: what begins at this line is nested deeper than ${count(problem.limit)} levels.`,
        hint: "Is it the right file?",
      };
    case "input.seed":
      return { message: `${problem.file}: not a valid seed for the mock: ${problem.reason}.`, hint: "Fix the file." };
    case "net.listen":
      return {
        message: `cannot listen on ${problem.host} port ${problem.port} (${problem.reason}).`,
        hint: "Choose another port with --port; 0 picks a free one.",
      };
    case "output.unwritable":
      return {
        message: `${problem.file}: cannot be written (${problem.reason}).`,
        hint: "Check the path and its permissions.",
      };
    case "output.full":
      return {
        message: `${problem.file}: no space left on the disk.`,
        hint: "Free some space and run again; the half-written file was removed.",
      };
    case "output.planted":
      return {
        message: `${problem.file}: nothing is written through ${problem.at}, which another user of this machine may have put there.`,
        hint: "Remove it, or name another path.",
      };
    case "run.strict":
      return {
        message: `${counted(problem.rejected, "row")} rejected; with --strict, no body is written.`,
        hint: "Fix them, or run without --strict.",
      };
    case "run.not-confirmed":
      return { message: "nothing was removed." };
    case "run.aborted":
      if (problem.allSent === true)
        return {
          message: "interrupted; everything was sent, but the comparison did not finish.",
          hint: "Run orgferry verify to compare.",
        };
      return problem.midway === true
        ? { message: "interrupted; what the service has done so far stays." }
        : { message: "interrupted; nothing was written." };
    default:
      return isFetchProblem(problem) ? describeFetch(problem) : describeService(problem);
  }
}

/** Said of a temporary file of which it is not known whether the run that made it still goes on. */
export function orphanLine(path: string): string {
  return `${path} was made by a run on another machine, in another container or before this machine was restarted. Remove it if that run is over: it may hold password hashes.`;
}
