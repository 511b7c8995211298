import type { Verifier } from "../../../contract/verifiers.ts";
import type { LeftOutReason } from "../../../problem.ts";
import type { CostBreach } from "../../rules/hash-costs.ts";
import { type EntryPieces, piecesOf } from "../entry/entry-pieces.ts";
import { writtenUser } from "../entry/written-user.ts";
import { breachesOfJudged, type JudgedHash } from "../hashes.ts";
import type { MergeState } from "../merge-state.ts";
import type { UserNotes, UserReading } from "../reading.ts";
import { isProvedUser, type SourceUser } from "../source-user.ts";
import { SPANS, STRINGS, WANTED, WHOLE } from "./nested-columns.ts";

/** The result for every row of a shape. */
export type RowTemplate =
  | { readonly kind: "left-out"; readonly reason: LeftOutReason; readonly unfit: string | undefined }
  | EntryTemplate;

/** The entry of users of a shape, with holes for their own texts. */
export interface EntryTemplate {
  readonly kind: "entry";
  readonly pieces: EntryPieces;
  readonly verifier: Verifier | undefined;
  /** Costs of the hash that are out of the target's limits. */
  readonly breaches: readonly CostBreach[];
  readonly isEmailVerified: boolean;
  /** The address is verified, and the user is open. */
  readonly isProved: boolean;
  readonly isNamedByEmail: boolean;
  /** Without a hash, a link keeps the service from sending mail. */
  readonly isSilentByLink: boolean;
  readonly notes: UserNotes;
  readonly unfit: string | undefined;
}

/** Verifiers whose hashes have salt and key of any length in base64, so that one stands for all that differ in nothing else. */
const OF_ANY_LENGTH: ReadonlySet<Verifier> = new Set<Verifier>(["argon2", "pbkdf2", "scrypt"]);

/**
 * Finds the result for the rows of a shape: reads one of them by the parser path, with marks instead of its own texts, and
 * looks where the marks are afterwards. undefined: the result does not hold for other rows, so all rows of the shape take the parser path.
 *
 * @param words the columns of the row, from `base` on.
 */
export function templateOf(
  row: Uint8Array,
  start: number,
  words: Uint32Array,
  base: number,
  readUser: (row: object) => UserReading,
  state: MergeState,
): RowTemplate | undefined {
  const marks = marksOf(state.job.seeds);
  const reading = readUser(JSON.parse(withMarks(row, start, words, base, marks)) as object); // its shape begins with a brace
  const { user, leftOut, faults, unfit, refusedHash, isNamedByEmail = false } = reading;
  if (leftOut !== undefined) return { kind: "left-out", reason: leftOut, unfit };
  if (words[base + WHOLE] === 0 || user === undefined || faults.length > 0 || refusedHash !== undefined)
    return undefined;
  const own = state.judgeHash(user.hash);
  if (!isSureHash(own, user.hash)) return undefined;
  const { job } = state;
  const isEmailVerified = job.isEmailVerified ?? user.isEmailVerified ?? false;
  const isProved = isProvedUser(user, isEmailVerified);
  const verifier = own.kind === "good" ? own.verifier : undefined;
  const breaches = breachesOfJudged(own);
  const written = writtenUser(user, user.hash, isEmailVerified, job);
  if (written.orgId !== undefined || written.plainPassword !== undefined) return undefined;
  const pieces = piecesOf(written, marks);
  const isSilentByLink = verifier === undefined && isEmailVerified && (user.idpLinks ?? []).length > 0;
  if (pieces === undefined || !areInPlace(pieces, user, marks, presentIn(words, base))) return undefined;
  const { remarks, fields, providers, roles, metadata } = reading;
  const notes: Required<UserNotes> = { remarks, fields, providers, roles, metadata, orgs: [] };
  return {
    kind: "entry",
    pieces,
    verifier,
    breaches,
    isEmailVerified,
    isProved,
    isNamedByEmail,
    isSilentByLink,
    notes,
    unfit,
  };
}

/**
 * A mark for each string, which no input can contain on purpose: letters alone, so that JSON writes it as it is, and a multiple of four, so
 * that it is whole bytes in base64.
 */
function marksOf(seeds: Uint32Array): readonly string[] {
  const secret = Array.from(seeds, (seed) =>
    seed.toString(36).replaceAll(/\d/g, (digit) => "ABCDEFGHIJ"[Number(digit)] ?? ""),
  );
  return Array.from({ length: STRINGS }, (_, field) => {
    const letters = `M${secret.join("")}${String.fromCharCode(0x41 + field)}`;
    const whole = letters.padEnd(Math.ceil((letters.length + 1) / 4) * 4, "Z");
    return WANTED[field] === "email" ? `${whole}@mark.example` : whole;
  });
}

function withMarks(row: Uint8Array, start: number, words: Uint32Array, base: number, marks: readonly string[]): string {
  const text = Buffer.from(row.buffer, row.byteOffset, row.byteLength);
  const spans = marks
    .map((mark, field) => ({ mark, from: word(words, base, 2 * field), to: word(words, base, 2 * field + 1) }))
    .filter(({ from, to }) => to > from)
    .sort((a, b) => a.from - b.from);
  let made = "";
  let at = start;
  for (const { mark, from, to } of spans) {
    made += text.toString("utf8", at, from) + mark;
    at = to;
  }
  return made + text.toString("utf8", at);
}

function word(words: Uint32Array, base: number, at: number): number {
  return words[base + SPANS + at] as number;
}

/** No hash, or one whose judgement does not depend on the letters of its texts. */
function isSureHash(own: JudgedHash, hash: string | undefined): boolean {
  if (own.kind === "none") return own.dropped === undefined && hash === undefined;
  return own.kind === "good" && own.text === hash && OF_ANY_LENGTH.has(own.verifier);
}

/** Each text that is named stands in its own place, those in base64 in the hash, and none of them anywhere else. */
function areInPlace(
  { holes }: EntryPieces,
  user: SourceUser,
  marks: readonly string[],
  present: readonly number[],
): boolean {
  return (
    WANTED.every((field, at) => user[field] === marks[at]) &&
    present.every((at) => at < WANTED.length || user.hash?.includes(marks[at] ?? "") === true) &&
    holes.length === present.length &&
    new Set(holes).size === holes.length
  );
}

/** The numbers of the strings that the row has. */
function presentIn(words: Uint32Array, base: number): readonly number[] {
  return Array.from({ length: STRINGS }, (_, field) => field).filter(
    (field) => word(words, base, 2 * field + 1) > word(words, base, 2 * field),
  );
}
