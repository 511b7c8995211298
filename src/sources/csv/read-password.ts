import type { UserReading } from "../../core/merge/reading.ts";
import type { SourceUser } from "../../core/merge/source-user.ts";
import { hashOfKind } from "../../core/rules/hash-kinds.ts";
import { plainPasswordFault } from "../../core/rules/plain-password.ts";
import type { RowFault } from "../../problem.ts";
import type { Cells } from "./cells.ts";
import type { CsvSettings } from "./options.ts";
import type { Plan } from "./plan.ts";

/** What a row says of its user's password. */
type PasswordReading = Pick<UserReading, "refusedHash" | "hashField"> & {
  readonly password?: Pick<SourceUser, "hash" | "plainPassword">;
};

/** Reads the hash of a row's user, put together from all columns that it stands in; or, where that was asked for, the password itself. */
export function readPassword(plan: Plan, settings: CsvSettings, cells: Cells, faults: RowFault[]): PasswordReading {
  const [cell] = plan.cells.password;
  const plain = cell === undefined ? undefined : cells.verbatim(cell);
  if (cell !== undefined && plain !== undefined && plain.trim() !== "") {
    const rule = plainPasswordFault(plain);
    if (rule !== undefined) faults.push({ code: "field.password", field: cell.column, rule });
    return { password: { plainPassword: plain } };
  }
  return readHash(plan, settings, cells);
}

function readHash(plan: Plan, { hashKind }: CsvSettings, cells: Cells): PasswordReading {
  const found = cells.first(plan.cells.hash);
  if (found === undefined || isOfOthers(plan, cells)) return {};
  const text = (field: "hashKind" | "salt" | "iterations"): string | undefined => cells.first(plan.cells[field])?.text;
  const hashField = found.cell.column;
  const kind = hashKind ?? text("hashKind") ?? plan.preset?.hashKind;
  if (kind === undefined) return { password: { hash: found.text }, hashField };
  const parts = { hash: found.text, salt: text("salt"), iterations: text("iterations") };
  const composed = hashOfKind(kind, parts);
  return "refused" in composed
    ? { refusedHash: composed.refused, hashField }
    : { password: { hash: composed.hash }, hashField };
}

/** Whoever signs in with other providers alone has a hash of a password that nobody knows. */
function isOfOthers({ preset, providers }: Plan, cells: Cells): boolean {
  const all = providers.flatMap((cell) => cells.list(cell));
  return all.length > 0 && !all.some((name) => preset?.providers?.own.includes(name));
}
