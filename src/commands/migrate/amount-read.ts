import type { MergeResult } from "../../core/merge/counts.ts";
import { counted } from "../../ui/format.ts";
import type { Amount } from "../../ui/progress-model.ts";
import type { OpenRows } from "./rows.ts";

/** How much of the inputs has been read; of how much is not known when one of them is a pipe. */
export function amountRead({ users, credentials }: OpenRows): Amount {
  const files = [users, credentials].flatMap((rows) => rows?.inputs.files ?? []);
  const done = files.reduce((sum, file) => sum + file.takenBytes(), 0);
  const total = files.reduce((sum, { sizeBytes = Number.NaN }) => sum + sizeBytes, 0);
  return Number.isNaN(total) ? { done } : { done, total };
}

/** `1,200 password rows, 3,400 users`. */
export function readSoFar({ users, passwords }: Pick<MergeResult, "users" | "passwords">): string {
  const rows = [counted(users.read, "user")];
  if (passwords.read > 0) rows.unshift(counted(passwords.read, "password row"));
  return rows.join(", ");
}
