import type { RowKind } from "../../core/merge/merge-job.ts";
import type { RowReaders } from "../../core/merge/reading.ts";
import { type RowInputs, RowReader } from "../../io/rows/row-reader.ts";
import type { Source, SourceInput } from "../../sources/source.ts";
import type { Amount } from "../../ui/terminal/progress-model.ts";
import type { OpenInputs } from "./inputs.ts";

/** From this input size on, a reader thread saves more time than its start costs. */
const READ_AHEAD_BYTES = 48 * 2 ** 20;

export interface RowSettings {
  readonly source: Source;
  readonly readers: RowReaders;
  /** Each line must hold one object. */
  readonly strictLines: boolean;
  readonly seeds: Uint32Array;
  readonly signal: AbortSignal;
}

/** The rows of a migration's inputs. */
export interface OpenRows {
  readonly users: RowReader;
  readonly credentials: RowReader | undefined;
}

/** Opens the rows of the inputs. For large inputs, a thread per file reads and parses ahead of the join. */
export async function openRows(inputs: OpenInputs, settings: RowSettings): Promise<OpenRows> {
  const { source, strictLines, readers } = settings;
  const reader = (files: RowInputs, { shape }: SourceInput): RowReader =>
    new RowReader(files, { shape, strictLines, document: readers.document, table: readers.table });
  const users = reader(inputs.users, source.users);
  const credentials =
    inputs.credentials === undefined || source.credentials === undefined
      ? undefined
      : reader(inputs.credentials, source.credentials);
  const isLarge = [users, credentials].some((rows) => rows !== undefined && rows.expectedBytes >= READ_AHEAD_BYTES);
  return isLarge ? withThreads({ users, credentials }, settings) : { users, credentials };
}

async function withThreads(
  { users, credentials }: OpenRows,
  { readers: { fast: fields, ownIdPrefix }, seeds, signal }: RowSettings,
): Promise<OpenRows> {
  const { canReadAhead, readAhead } = await import("../../io/rows/read-ahead.ts"); // loaded only where it is used
  if (!canReadAhead()) return { users, credentials };
  const ahead = (reader: RowReader, rows: RowKind): RowReader => {
    const { inputs, form } = reader;
    const isOneFile = inputs.files.length === 1 && inputs.files[0]?.path !== undefined;
    if (!isOneFile || form.shape.kind === "table") return reader; // a table's rows are parsed where they are found
    const hasFields = fields?.[rows] !== undefined || (rows === "users" && fields?.nestedUsers !== undefined);
    const columns = !hasFields ? undefined : { fields, ownIdPrefix, seeds };
    return readAhead(reader, { rows, columns, signal, isReadAgain: rows === "users" });
  };
  return { users: ahead(users, "users"), credentials: credentials && ahead(credentials, "credentials") };
}

/**
 * The bytes that were read, and the total; the total is unknown when an input is a pipe.
 * @param userReadings number of passes over the users.
 */
export function amountRead({ users, credentials }: OpenRows, userReadings: number): Amount {
  const done = users.takenBytes() + (credentials?.takenBytes() ?? 0);
  const total = sizeOf(users) * userReadings + (credentials === undefined ? 0 : sizeOf(credentials));
  return Number.isNaN(total) ? { done } : { done, total };
}

function sizeOf({ inputs }: RowReader): number {
  return inputs.files.reduce((sum, { sizeBytes = Number.NaN }) => sum + sizeBytes, 0);
}
