import type { ColumnParser } from "../../rows/fast/columns.ts";
import type { UserKeys } from "../join/user-keys.ts";
import type { RowKind } from "../merge-job.ts";
import type { FastFields } from "../reading.ts";
import { CredentialColumns } from "./credential-columns.ts";
import { userUses } from "./row-uses.ts";
import { UserColumns } from "./user-columns.ts";

/** What reads the rows of an input into columns, as a provider's table says; undefined: it has no table for them. */
export function createColumnParser(rows: RowKind, fields: FastFields, keys: UserKeys): ColumnParser | undefined {
  if (rows === "credentials") return fields.credentials && new CredentialColumns(fields.credentials, keys);
  const uses = userUses(fields);
  return uses && new UserColumns(uses, keys);
}
