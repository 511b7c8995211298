import type { RowReaders } from "../../core/merge/reading.ts";
import { expectedBytes, type Input } from "../../io/input.ts";
import { RowReader } from "../../io/rows/row-reader.ts";
import type { OpenInputs } from "./inputs.ts";

/** From this size on a second thread saves more than it costs to start. */
const READ_AHEAD_BYTES = 48 * 2 ** 20;

export interface RowSettings {
  readonly readers: RowReaders;
  /** One object a line, whatever the file looks like. */
  readonly strictLines: boolean;
  readonly seeds: Uint32Array;
  readonly signal: AbortSignal;
}

/** The rows of a migration's inputs. */
export interface OpenRows {
  readonly users: RowReader;
  readonly credentials: RowReader | undefined;
}

/** The rows of the inputs; where that pays, each file is read and parsed by a thread of its own, ahead of the one that joins. */
export async function openRows(
  { users, credentials }: OpenInputs,
  { readers, strictLines, seeds, signal }: RowSettings,
): Promise<OpenRows> {
  const here = (input: Input): RowReader => new RowReader(input, strictLines);
  const rows = { users: here(users), credentials: credentials === undefined ? undefined : here(credentials) };
  const fields = readers.fast;
  const isLarge = [users, credentials].some((input) => input !== undefined && expectedBytes(input) >= READ_AHEAD_BYTES);
  if (fields === undefined || !isLarge) return rows;
  const { canReadAhead, readAhead } = await import("../../io/rows/read-ahead.ts"); // loaded only where it is used
  if (!canReadAhead()) return rows;
  const columns = { fields, ownIdPrefix: readers.ownIdPrefix, seeds };
  return {
    credentials:
      rows.credentials === undefined || fields.credentials === undefined || credentials?.path === undefined
        ? rows.credentials
        : readAhead(rows.credentials, { rows: "credentials", columns, signal }),
    users: users.path === undefined ? rows.users : readAhead(rows.users, { rows: "users", columns, signal }),
  };
}
