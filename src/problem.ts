/**
 * Everything that can go wrong, as one closed union of plain values. A problem carries a code and typed facts, never prose
 * (prose is in ui/describe.ts) and never the content of a row, a hash or a token.
 */

import type { InDocument, Peer, Place } from "./problem/facts.ts";

export type { InDocument, Peer, Place, Side } from "./problem/facts.ts";

/** Why one row of an input was refused (design: "Nothing is lost"). These are values in the stream, never thrown. */
export type RowProblem = Place &
  InDocument & { readonly line: number } & (
    | { readonly code: "row.malformed" }
    | { readonly code: "row.not-object" }
    | { readonly code: "row.invalid-utf8" }
    | { readonly code: "row.columns"; readonly expected: number; readonly found: number }
    | { readonly code: "field.missing"; readonly field: string }
    | { readonly code: "field.type"; readonly field: string; readonly expected: string }
    | {
        readonly code: "field.too-long";
        readonly field: string;
        readonly limit: number;
        readonly unit: "characters" | "bytes";
      }
    | { readonly code: "field.email"; readonly field: string; readonly rule: EmailRule }
    | { readonly code: "field.phone"; readonly field: string }
    | { readonly code: "field.hash"; readonly field: string; readonly rule: HashRule }
    | { readonly code: "field.password"; readonly field: string; readonly rule: PasswordRule }
    | { readonly code: "field.nul"; readonly field: string }
    | { readonly code: "field.lone-surrogate"; readonly field: string }
    | { readonly code: "element.not-object"; readonly list: string }
    | { readonly code: "element.no-content"; readonly list: string; readonly field: string }
    | { readonly code: "user.duplicate-id"; readonly firstLine: number; readonly firstFile?: string }
    | { readonly code: "user.duplicate-name"; readonly firstLine: number; readonly firstFile?: string }
    | { readonly code: "user.passed-over"; readonly firstLine: number; readonly firstFile?: string }
    | { readonly code: "user.linked"; readonly firstLine: number; readonly firstFile?: string }
    | { readonly code: "user.shared-name" }
    | { readonly code: "user.no-email"; readonly field: string; readonly flag: string }
    | { readonly code: "user.bad-hash"; readonly other: Place }
    | { readonly code: "user.password-row-rejected"; readonly other: Place }
    | { readonly code: "password.bad-hash"; readonly rule: HashRule }
    | { readonly code: "password.names-nobody" }
    | { readonly code: "password.unmatched"; readonly why: UnmatchedReason }
    | { readonly code: "password.user-rejected" }
  );

/** A row's problem before anybody said which row it is. */
export type RowFault = RowProblem extends infer P ? (P extends RowProblem ? Omit<P, "file" | "line"> : never) : never;

/** The part of the service's e-mail rule that a value breaks (service behaviour 1.4). */
export type EmailRule = "shape" | "local-part-length" | "total-length" | "domain";
/** Why nobody could sign in with a hash: the part of the bcrypt form that it breaks, or its kind (service behaviour 4). */
export type HashRule =
  | "type"
  | "prefix"
  | "cost"
  | "length"
  | "alphabet"
  | "not-enabled"
  | "not-convertible"
  | "ambiguous"
  | "apr1"
  | "argon2d"
  | "argon2-version"
  | "des"
  | "firebase-scrypt"
  | "keyed"
  | "ntlm"
  | "plain"
  | "pre-hashed"
  | "salt"
  | "salt-place"
  | "sha"
  | "unknown-kind"
  | "unknown-name";
/** Why a text is not taken for a password. */
export type PasswordRule = "too-long" | "hash" | "nul";
/** Something that a user who is written loses or gains on the way, and that somebody should know of. */
export type Remark =
  | "blocked-becomes-active"
  | "factors-lost"
  | "picture-lost"
  | "hash-dropped"
  | "link-lost"
  | "language-lost"
  | "phone-lost"
  | "metadata-lost"
  | "otp-lost"
  | "stays-inactive"
  | "email-made-up"
  | "password-change"
  | "password-elsewhere"
  | "phone-unverified"
  | "attributes-left-out"
  | "roles-lost"
  | "verify-email-lost"
  | "update-profile-lost"
  | "terms-lost"
  | "factor-setup-lost"
  | "action-lost"
  | "gender-lost";
/** Why a row of users is neither written nor rejected. */
export type LeftOutReason = "service-account" | "linked" | "deleted" | "anonymous";
/** Why a password row belongs to nobody. */
export type UnmatchedReason = "no-profile" | "email-shared" | "not-a-database-user" | "user-has-own-row";

/** What a file is by its fields: made by this program or by the service, or a file of a provider. */
export type FoundKind =
  | { readonly kind: "body" | "export" | "export-v1" }
  | { readonly kind: "source"; readonly source: string; readonly title: string; readonly flag: string };

/** An input holds several documents; `key` is what one is called, and `flag` chooses one. */
interface DocumentsProblem {
  readonly file: string;
  readonly key: string;
  readonly flag: string;
  readonly documents: readonly { readonly name: string; readonly rows: number }[];
}

/** A column that a table does not have. */
export interface MissingColumn {
  readonly name: string;
  /** One that it has and that is spelled much like it. */
  readonly suggestion?: string;
  /** It has several that would do. */
  readonly isAmbiguous?: boolean;
}

/** What stops a command. */
export type RunProblem =
  | { readonly code: "usage.invalid"; readonly message: string }
  /** A variable of a script that was never set, as a rule. */
  | { readonly code: "usage.empty-path"; readonly flag: string }
  | {
      readonly code: "usage.no-such-column";
      readonly missing: readonly MissingColumn[];
      readonly columns: readonly string[];
    }
  | { readonly code: "usage.no-column-for"; readonly fields: readonly string[]; readonly columns: readonly string[] }
  | {
      readonly code: "usage.unknown-table";
      readonly columns: readonly string[];
      readonly presets: readonly string[];
      /** A preset that would do, and what it would take for what. */
      readonly general?: { readonly preset: string; readonly mapping: string };
    }
  | { readonly code: "usage.no-header"; readonly preset: string }
  | { readonly code: "usage.plain-passwords" }
  | { readonly code: "usage.conflict"; readonly flags: readonly [string, string] }
  | { readonly code: "usage.output-is-input"; readonly flag: string; readonly path: string }
  | { readonly code: "usage.same-output"; readonly flags: readonly [string, string]; readonly path: string }
  | { readonly code: "input.missing"; readonly file: string; readonly flag: string }
  | { readonly code: "input.same-file"; readonly file: string; readonly flags: readonly [string, string] }
  /** `wanted` undefined: a body or an export. */
  | {
      readonly code: "input.wrong-kind";
      readonly file: string;
      readonly found: FoundKind;
      readonly wanted?: { readonly source: string; readonly flag: string };
    }
  | { readonly code: "input.unreadable"; readonly file: string; readonly reason: string }
  | { readonly code: "input.directory"; readonly file: string }
  | { readonly code: "input.terminal"; readonly file: string; readonly flag: string }
  | { readonly code: "input.changed"; readonly file: string }
  | { readonly code: "input.gzip"; readonly file: string; readonly truncated: boolean }
  | { readonly code: "input.empty"; readonly file: string }
  | { readonly code: "input.no-rows"; readonly file: string }
  | { readonly code: "input.not-utf8"; readonly file: string }
  | { readonly code: "input.not-lines"; readonly file: string; readonly shape: "array" | "values" }
  | { readonly code: "input.no-files"; readonly file: string }
  | { readonly code: "input.unfit"; readonly file: string; readonly what: string; readonly instead: string }
  | ({ readonly code: "input.several-documents" } & DocumentsProblem)
  | ({ readonly code: "input.no-such-document"; readonly wanted: string } & DocumentsProblem)
  | { readonly code: "input.name-too-late"; readonly file: string; readonly key: string }
  | { readonly code: "input.broken-table"; readonly file: string; readonly line: number }
  | { readonly code: "input.no-readable-row"; readonly file: string; readonly rows: number }
  | { readonly code: "input.malformed"; readonly file: string; readonly line: number }
  | { readonly code: "input.unclosed"; readonly file: string; readonly line: number }
  | { readonly code: "input.row-too-long"; readonly file: string; readonly line: number; readonly limitBytes: number }
  | { readonly code: "input.too-deep"; readonly file: string; readonly line: number; readonly limit: number }
  | { readonly code: "input.seed"; readonly file: string; readonly reason: string }
  | { readonly code: "net.listen"; readonly host: string; readonly port: number; readonly reason: string }
  | { readonly code: "usage.no-file" }
  | { readonly code: "usage.no-address"; readonly side: Peer }
  | { readonly code: "usage.bad-address"; readonly side: Peer; readonly fault: AddressFault }
  | { readonly code: "usage.same-instance"; readonly host: string }
  | { readonly code: "usage.bad-proxy"; readonly variable: string; readonly suggestion: string }
  | { readonly code: "input.bad-token"; readonly file: string }
  | { readonly code: "input.not-a-body"; readonly file: string }
  | { readonly code: "input.not-a-manifest"; readonly file: string; readonly line: number }
  | { readonly code: "input.other-target"; readonly file: string; readonly host: string }
  | { readonly code: "input.org-map"; readonly file: string; readonly line: number }
  | { readonly code: "input.org-without-id"; readonly file: string; readonly line: number }
  | { readonly code: "input.not-joinable"; readonly file: string }
  | { readonly code: "usage.no-shard"; readonly variable: string }
  | { readonly code: "shards.not-one"; readonly file: string }
  | { readonly code: "shards.missing"; readonly shards: readonly number[]; readonly files: readonly string[] }
  | { readonly code: "shards.overlap"; readonly files: readonly [string, string] }
  | {
      readonly code: "shards.differ";
      readonly files: readonly [string, string];
      readonly what: "files" | "target" | "number" | "dry-run";
    }
  | { readonly code: "input.two-bodies"; readonly file: string; readonly keys: readonly [string, string] }
  | { readonly code: "input.not-a-service-account"; readonly file: string }
  | { readonly code: "input.invalid-users"; readonly file: string; readonly users: number }
  | { readonly code: "input.invalid-entries"; readonly file: string; readonly entries: number }
  | { readonly code: "input.bad-timeout"; readonly file: string }
  | { readonly code: "journal.other-input"; readonly file: string; readonly journal: string }
  | { readonly code: "journal.other-target"; readonly journal: string; readonly host: string }
  | { readonly code: "journal.other-settings"; readonly journal: string }
  | { readonly code: "journal.left-over"; readonly journal: string }
  | { readonly code: "journal.not-one"; readonly journal: string }
  | { readonly code: "journal.broken"; readonly journal: string; readonly line: number }
  /** Of another version of orgferry. */
  | { readonly code: "journal.other-version"; readonly journal: string }
  | { readonly code: "journal.link"; readonly journal: string }
  /** `isRunning` false: it is not known whether the owner still runs, for it is not of this machine or container. */
  | {
      readonly code: "journal.locked";
      readonly journal: string;
      readonly lock: string;
      readonly owner: { readonly pid: number; readonly host: string; readonly since: string } | undefined;
      readonly isRunning: boolean;
    }
  | { readonly code: "state.not-one"; readonly file: string }
  /** `flag`: what names another place. */
  | { readonly code: "output.unwritable"; readonly file: string; readonly reason: string; readonly flag?: string }
  | { readonly code: "output.full"; readonly file: string; readonly flag?: string }
  /** `at`: the link, pipe or device on the way to `file` that another user of the machine may have put there. */
  | { readonly code: "output.planted"; readonly file: string; readonly at: string }
  /** Nobody got through, and a file with somebody in it is there. */
  | { readonly code: "output.kept"; readonly file: string }
  | { readonly code: "run.strict"; readonly rejected: number }
  | { readonly code: "run.not-confirmed" }
  | { readonly code: "run.too-many-mails"; readonly host: string; readonly mails: number; readonly limit: number }
  | { readonly code: "run.declined" }
  | {
      readonly code: "run.aborted";
      readonly signal: "SIGINT" | "SIGTERM";
      readonly midway?: boolean;
      readonly allSent?: boolean;
    }
  | ServiceProblem
  | FetchProblem;

/** What is wrong with an instance's address; the address itself may hold a secret and is not repeated. */
export type AddressFault = "not-an-address" | "scheme" | "credentials" | "query" | "plain-http";

/** What stops a command that talks to an instance. */
export type ServiceProblem =
  | { readonly code: "auth.no-token"; readonly side: Peer; readonly flag: string }
  | { readonly code: "auth.bad-token"; readonly side: Peer }
  | { readonly code: "auth.refused"; readonly host: string; readonly message: string }
  | { readonly code: "auth.forbidden"; readonly host: string; readonly role: string; readonly message: string }
  | { readonly code: "auth.no-grant"; readonly host: string; readonly error: string }
  | { readonly code: "api.not-an-instance"; readonly host: string; readonly message?: string }
  | { readonly code: "api.redirected"; readonly host: string; readonly location: string }
  | { readonly code: "api.rejected"; readonly host: string; readonly status: number; readonly message: string }
  | { readonly code: "api.too-large"; readonly host: string; readonly sentBytes: number }
  | { readonly code: "api.not-json"; readonly host: string; readonly status: number; readonly html: boolean }
  | { readonly code: "api.unexpected"; readonly host: string; readonly what: string }
  | { readonly code: "api.export-too-large"; readonly host: string }
  | { readonly code: "api.nothing-done"; readonly host: string }
  | { readonly code: "api.no-grpc-web"; readonly host: string }
  | { readonly code: "api.events-stuck"; readonly host: string }
  | { readonly code: "api.org-missing"; readonly host: string; readonly orgIds: readonly string[] }
  /** Organizations that an export holds and that the request did not name. */
  | { readonly code: "api.org-not-requested"; readonly host: string; readonly orgIds: readonly string[] }
  | { readonly code: "api.no-users-api"; readonly host: string; readonly why: "missing" | "forbidden" | "nonsense" }
  | { readonly code: "api.no-orgs"; readonly host: string }
  | { readonly code: "api.would-mail"; readonly host: string; readonly users: number }
  /** --no-mail, and users to whom the import endpoint would write. */
  | {
      readonly code: "api.no-mail-impossible";
      readonly host: string;
      readonly why: "missing" | "forbidden" | "nonsense";
    }
  | {
      readonly code: "api.cannot-update";
      readonly host: string;
      readonly lacks: "users-api" | "events" | "identity" | "source-events";
    }
  | { readonly code: "api.cannot-exclude"; readonly host: string; readonly why: string }
  | { readonly code: "api.answer-too-large"; readonly host: string; readonly limitBytes: number }
  | { readonly code: "net.unreachable"; readonly host: string; readonly reason: NetReason; readonly detail: string }
  /** `isPlain`: a call over plain http to which nothing was answered; what ends it may speak https. */
  | { readonly code: "net.cut-off"; readonly host: string; readonly isPlain?: boolean }
  | { readonly code: "net.broken-answer"; readonly host: string; readonly detail: string; readonly isPlain?: boolean }
  /** `isSilent`: not even an answer had begun. */
  | { readonly code: "net.timeout"; readonly host: string; readonly afterMs: number; readonly isSilent?: boolean }
  | { readonly code: "net.service-timeout"; readonly host: string }
  | { readonly code: "net.gateway"; readonly host: string; readonly status: number }
  | { readonly code: "net.busy"; readonly host: string; readonly status: number; readonly retryAfterMs?: number };

/** What stops a fetch from the provider that people leave. */
export type FetchProblem =
  | { readonly code: "auth.tenant-refused"; readonly host: string; readonly message: string }
  | { readonly code: "auth.no-scope"; readonly host: string; readonly scope: string; readonly message: string }
  | { readonly code: "auth.tenant-no-grant"; readonly host: string; readonly error: string }
  | { readonly code: "api.not-a-tenant"; readonly host: string }
  | {
      readonly code: "api.no-connection";
      readonly host: string;
      readonly name: string;
      readonly names: readonly string[];
    }
  | { readonly code: "api.job-failed"; readonly host: string; readonly jobId: string; readonly message: string }
  | { readonly code: "api.job-gone"; readonly host: string; readonly jobId: string }
  | { readonly code: "api.link-refused"; readonly host: string; readonly status: number }
  | { readonly code: "api.download-damaged"; readonly host: string; readonly why: "gzip" | "changed" | "not-users" }
  | { readonly code: "input.not-jobs"; readonly file: string }
  | { readonly code: "input.other-jobs"; readonly file: string; readonly what: "tenant" | "fields" | "connections" };
export type NetReason =
  | "refused"
  | "dns"
  | "tls"
  | "https-expected"
  | "connect-timeout"
  | "reset"
  | "not-http"
  | "proxy"
  | "other";

export type Problem = RowProblem | RunProblem;

/** The exit codes that scripts may rely on (design: Exit codes). */
export const exitCodes = {
  done: 0,
  partial: 1,
  usage: 2,
  file: 3,
  auth: 4,
  service: 5,
  network: 6,
  bug: 70,
  interrupted: 130,
  terminated: 143,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The exit code of a run that a problem stopped. */
export function exitCodeOf(problem: RunProblem): ExitCode {
  if (problem.code === "run.aborted") {
    return problem.signal === "SIGINT" ? exitCodes.interrupted : exitCodes.terminated;
  }
  const family = problem.code.slice(0, problem.code.indexOf("."));
  switch (family) {
    case "usage":
      return exitCodes.usage;
    case "auth":
      return exitCodes.auth;
    case "api":
      return exitCodes.service;
    case "net":
      return exitCodes.network;
    default:
      return exitCodes.file;
  }
}

/** Thrown where a run cannot go on. Anything else that is thrown is a bug in orgferry (exit 70). */
export class ProblemError extends Error {
  readonly problem: RunProblem;

  constructor(problem: RunProblem, options?: ErrorOptions) {
    super(problem.code, options);
    this.name = "ProblemError";
    this.problem = problem;
  }
}

/** The reader of stdout closed it (`| head -1`). Not a problem: the run ends quietly with 0. */
export class ReaderGone extends Error {
  override readonly name = "ReaderGone";
}
