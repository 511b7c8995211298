import type { Verifier } from "../../../contract/verifiers.ts";
import type { LeftOutReason, Remark } from "../../../problem.ts";
import { type PackedTemplate, packedTemplate } from "../entry/packed-template.ts";
import { writtenUser } from "../entry/written-user.ts";
import type { JudgedHash } from "../hashes.ts";
import type { MergeState } from "../merge-state.ts";
import type { UserReading } from "../reading.ts";
import type { SourceUser } from "../source-user.ts";
import { ID, type UserUses, WANTED } from "./row-uses.ts";
import { FLAGS, SPANS, WHOLE } from "./user-columns.ts";

/** What all rows of a shape become. */
export type RowTemplate =
  | { readonly kind: "left-out"; readonly reason: LeftOutReason; readonly unfit: string | undefined }
  | UserTemplate;

/** The entry of users of a shape, with holes for their own texts. */
export interface UserTemplate {
  readonly kind: "user";
  /** The entry without a row of credentials. */
  readonly alone: PackedTemplate;
  /** The entry with the hash of a row of credentials. */
  readonly joined: PackedTemplate;
  /** Of the hash that the user's own row holds. */
  readonly verifier: Verifier | undefined;
  readonly isEmailVerified: boolean;
  readonly isNamedByEmail: boolean;
  /** Without a hash, a link keeps the service from sending an e-mail. */
  readonly isSilentByLink: boolean;
  readonly remarks: readonly Remark[];
  readonly unfit: string | undefined;
}

/** Verifiers whose hashes have salt and key of any length in base64, so that one hash stands for all that differ in nothing else. */
const OF_ANY_LENGTH: ReadonlySet<Verifier> = new Set<Verifier>(["argon2", "pbkdf2", "scrypt"]);

/** The columns of a row: words from `base` on. */
export interface RowColumns {
  readonly words: Uint32Array;
  readonly base: number;
}

/**
 * Finds out what the rows of a shape become: reads one of them with marks in place of the strings that are its own, and looks where
 * the marks are afterwards. undefined: the result does not hold for other rows, so all rows of the shape take the parser path.
 *
 * @param bytes ends where the row ends.
 */
export function rowTemplate(
  bytes: Uint8Array,
  start: number,
  columns: RowColumns,
  { base64, userName }: UserUses,
  readUser: (row: object) => UserReading,
  state: MergeState,
): RowTemplate | undefined {
  const { marks, hashMark } = marksOf(state.job.seeds, WANTED.length + base64);
  const marked = withMarks(bytes, start, columns, marks);
  const reading = readUser(JSON.parse(marked) as object); // a row with a shape is an object
  const { user, leftOut, faults, unfit, refusedHash, isNamedByEmail = false, remarks = [] } = reading;
  if (leftOut !== undefined) return { kind: "left-out", reason: leftOut, unfit };
  if (!isWhole(columns, columns.base) || user === undefined || faults.length > 0 || refusedHash !== undefined)
    return undefined;
  const { job } = state;
  const own = state.judgeHash(user.hash);
  if (!isSureHash(own, user.hash)) return undefined;
  if (own.kind === "good" && job.credentials !== undefined) return undefined; // either hash may be the user's
  const present = marks.filter((_, field) => spanAt(columns, 2 * field) !== 0);
  if (user.userId !== marks[ID] || user.userName !== marks[userName]) return undefined;
  if (!areInPlace(user, marks, present)) return undefined;
  const isEmailVerified = job.isEmailVerified ?? user.isEmailVerified ?? false;
  const written = writtenUser(user, user.hash, isEmailVerified, job.orgs);
  if (written.orgId !== undefined || written.plainPassword !== undefined) return undefined;
  const alone = packedTemplate(written, marks, hashMark);
  const joined = packedTemplate({ ...written, hash: hashMark }, marks, hashMark);
  if (alone === undefined || joined === undefined || new Set(alone.holes).size !== present.length) return undefined;
  const verifier = own.kind === "good" ? own.verifier : undefined;
  const isSilentByLink = verifier === undefined && isEmailVerified && (user.idpLinks ?? []).length > 0;
  return { kind: "user", alone, joined, verifier, isEmailVerified, isNamedByEmail, isSilentByLink, remarks, unfit };
}

/** False: a string of the row is missing or out of the ordinary. */
export function isWhole({ words }: Pick<RowColumns, "words">, base: number): boolean {
  return ((words[base + FLAGS] as number) & WHOLE) !== 0;
}

/** Texts that no input can contain on purpose: letters alone, so that JSON and base64 write them as they are. */
function marksOf(
  seeds: Uint32Array,
  strings: number,
): { readonly marks: readonly string[]; readonly hashMark: string } {
  const secret = Array.from(seeds, (seed) =>
    seed.toString(36).replaceAll(/\d/g, (digit) => "ABCDEFGHIJ"[Number(digit)] ?? ""),
  ).join("");
  const mark = (number: number): string => `M${secret}${String.fromCharCode(0x41 + number)}Z`;
  const marks = Array.from({ length: strings }, (_, field) =>
    WANTED[field] === "email" ? `${mark(field)}@mark.example` : mark(field),
  );
  return { marks, hashMark: mark(strings) };
}

function withMarks(bytes: Uint8Array, start: number, columns: RowColumns, marks: readonly string[]): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const spans = marks
    .map((mark, field) => ({ mark, from: spanAt(columns, 2 * field), to: spanAt(columns, 2 * field + 1) }))
    .filter(({ from }) => from !== 0)
    .sort((a, b) => a.from - b.from);
  let marked = "";
  let at = start;
  for (const { mark, from, to } of spans) {
    marked += text.toString("utf8", at, from) + mark;
    at = to;
  }
  return marked + text.toString("utf8", at);
}

function spanAt({ words, base }: RowColumns, at: number): number {
  return words[base + SPANS + at] as number;
}

/** No hash, or one that is judged alike whatever letters its texts have. */
function isSureHash(own: JudgedHash, hash: string | undefined): boolean {
  if (own.kind === "none") return own.dropped === undefined && hash === undefined;
  return own.kind === "good" && own.text === hash && OF_ANY_LENGTH.has(own.verifier);
}

/** Each of the five texts that every user has is one string of the row, and the strings in base64 are in the hash. */
function areInPlace(user: SourceUser, marks: readonly string[], present: readonly string[]): boolean {
  return (
    WANTED.every((field) => present.includes(user[field] ?? "")) &&
    present.every((mark) => marks.indexOf(mark) < WANTED.length || user.hash?.includes(mark) === true)
  );
}
