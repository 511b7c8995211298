import { hashOfKind } from "../../core/rules/hash-kinds.ts";
import { plainPasswordFault } from "../../core/rules/plain-password.ts";
import type { HashRule, RowFault } from "../../problem.ts";
import type { Cells } from "./cells.ts";
import type { Cell } from "./columns.ts";
import type { CsvSettings } from "./options.ts";
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

/** Reads the hash of a row's user, put together from all columns that it stands in; or, where that was asked for, the password itself. */
export function readPassword(plan: Plan, settings: CsvSettings, cells: Cells, faults: RowFault[]): PasswordReading {
  const [cell] = plan.cells.password;
  const plain = cell === undefined ? undefined : cells.verbatim(cell);
  if (cell !== undefined && plain !== undefined && plain.trim() !== "") {
    const rule = plainPasswordFault(plain);
    if (rule !== undefined) faults.push({ code: "field.password", field: cell.column, rule });
    return { ...NONE, plainPassword: plain };
  }
  return readHash(plan, settings, cells);
}

function readHash(plan: Plan, { hashKind }: CsvSettings, cells: Cells): PasswordReading {
  const found = cells.first(plan.cells.hash);
  if (found === undefined || isOfOthers(plan, cells)) return NONE;
  const text = (of: readonly Cell[]): string | undefined => (of.length === 0 ? undefined : cells.first(of)?.text);
  const hashField = found.cell.column;
  const kind = hashKind ?? text(plan.cells.hashKind) ?? plan.preset?.hashKind;
  if (kind === undefined) return { ...NONE, hash: found.text, hashField };
  const parts = { hash: found.text, salt: text(plan.cells.salt), iterations: text(plan.cells.iterations) };
  const composed = hashOfKind(kind, parts);
  return "refused" in composed
    ? { ...NONE, refusedHash: composed.refused, hashField }
    : { ...NONE, hash: composed.hash, hashField };
}

/** Whoever signs in with other providers alone has a hash of a password that nobody knows. */
function isOfOthers({ preset, providers }: Plan, cells: Cells): boolean {
  if (providers.length === 0) return false;
  const all = providers.flatMap((cell) => cells.list(cell));
  return all.length > 0 && !all.some((name) => preset?.providers?.own.includes(name));
}
