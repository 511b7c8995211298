import { count, counted, place, shown } from "../problem/format.ts";
import type { EmailRule, HashRule, PasswordRule, RowFault, RowProblem, UnmatchedReason } from "../problem.ts";
import type { Description } from "./description.ts";

/** A row's problem with its place. */
export function describeRow(problem: RowProblem): Description {
  const { message, hint } = describeRowCause(problem);
  return {
    message: [place(problem), ...subjectOf(problem), message].join(": "),
    ...(hint === undefined ? {} : { hint }),
  };
}

/** Whose it is and which field of it: `user 17`, `orgs[0].humanUsers[1].user.email.email`. */
function subjectOf({ id, path, field }: RowProblem): string[] {
  const steps = [path, field].filter((step) => step !== undefined && step !== "").join(".");
  return [
    ...(id === undefined ? [] : [`${path?.includes(".humanUsers[") ? "user " : ""}${shown(id)}`]),
    ...(steps === "" ? [] : [steps]),
  ];
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
