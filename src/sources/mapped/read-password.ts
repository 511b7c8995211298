import { isUnsalted } from "../../core/rules/hash-forms.ts";
import { hashOfKind } from "../../core/rules/hash-kinds.ts";
import { spreadsheetFault } from "../../core/rules/text.ts";
import type { HashRule } from "../../problem.ts";
import { placeholderOf, plainPasswordFault } from "../shared/plain-password.ts";
import type { Cells, Place } from "./cells.ts";
import { meaningOf, meaningOfEmpty } from "./details.ts";
import type { Notes } from "./notes.ts";
import type { MappedSettings } from "./options.ts";
import type { Plan } from "./plan.ts";

/** What a row says of its user's password. */
export interface PasswordReading {
  readonly hash: string | undefined;
  readonly plainPassword: string | undefined;
  readonly refusedHash: HashRule | undefined;
  readonly hashField: string | undefined;
}

const NONE: PasswordReading = {
  hash: undefined,
  plainPassword: undefined,
  refusedHash: undefined,
  hashField: undefined,
};

/** Reads the hash of a row's user, put together from all places that it stands in; or, where that was asked for, the password itself. */
export function readPassword<P extends Place>(
  plan: Plan<P>,
  settings: MappedSettings,
  cells: Cells<P>,
  notes: Notes,
): PasswordReading {
  const [cell] = plan.cells.password;
  const plain = cell === undefined ? undefined : cells.verbatim(cell);
  const placeholder = plain === undefined ? "empty" : placeholderOf(plain);
  if (cell !== undefined && plain !== undefined && placeholder === undefined) {
    const rule = plainPasswordFault(plain);
    const damage = spreadsheetFault(plain.trim(), true);
    if (rule !== undefined) notes.faults.push({ code: "field.password", field: cell.column, rule });
    else if (damage !== undefined) notes.faults.push({ ...damage, field: cell.column });
    return { ...NONE, plainPassword: plain };
  }
  const reading = readHash(plan, settings, cells);
  if (placeholder === "words" && reading.hashField === undefined) notes.tell("password-placeholder");
  return reading;
}

function readHash<P extends Place>(
  plan: Plan<P>,
  { hashKind, words }: MappedSettings,
  cells: Cells<P>,
): PasswordReading {
  const { hash: at, hashKind: kindAt, salt: saltAt, iterations: iterationsAt } = plan.cells;
  const hash = cells.first(at);
  if (hash === undefined || isOfOthers(plan, cells)) return NONE;
  const hashField = at.length === 1 ? at[0]?.column : cells.columnOf(at);
  const saltCell = saltAt.find((place) => cells.text(place) !== undefined);
  const salt = saltCell && (cells.verbatim(saltCell) ?? cells.text(saltCell));
  const isPadded = saltCell !== undefined && cells.isPadded(saltCell);
  const word = cells.first(kindAt);
  const said = word === undefined ? meaningOfEmpty(words, "hashKind") : meaningOf(words, "hashKind", word);
  const kind = hashKind ?? said ?? plan.preset?.hashKind ?? "auto";
  const composed = hashOfKind(kind, { hash, salt, isPadded, iterations: cells.first(iterationsAt) });
  if ("refused" in composed) return { ...NONE, refusedHash: composed.refused, hashField };
  // A flag that says `auto` is a decision that the salts belong to something else.
  const isDecided = hashKind?.toLowerCase() === "auto";
  const refusedHash = !isDecided && isUnsalted(composed.hash) ? saltRule(hash, salt, cells) : undefined;
  return { ...NONE, hash: refusedHash === undefined ? composed.hash : undefined, refusedHash, hashField };
}

/** Of a salted MD5 hash, it is unknown where the salt belongs; without the salt, it would be the hash of another password. */
function saltRule<P extends Place>(hash: string, salt: string | undefined, cells: Cells<P>): HashRule | undefined {
  if (salt !== undefined) return "salt-place";
  return cells.hasSalt(hash) ? "salt-unread" : undefined;
}

/** A user who only signs in with other providers has a hash without a known password. */
function isOfOthers<P extends Place>({ preset, providers }: Plan<P>, cells: Cells<P>): boolean {
  if (providers.length === 0) return false;
  const all = providers.flatMap((cell) => cells.list(cell));
  return all.length > 0 && !all.some((name) => preset?.providers?.own.includes(name));
}
