import type { PasswordCounts, UserCounts } from "../core/merge/counts.ts";
import type { EntryBuffer } from "../core/merge/entry-buffer.ts";
import type { CleanUp } from "../io/clean-up.ts";
import type { RowReader } from "../io/rows.ts";
import type { RowFault } from "../problem.ts";

/** A file that a source provider's command reads, as data: the command line is built from it. */
export interface SourceInput {
  /** Flag without dashes; also the key of the parsed options. */
  readonly flag: "users" | "passwords";
  /** The path read when the flag is not given. */
  readonly defaultPath: string;
  /** true: an absent default file means "none", and is said so; false: it is an error. */
  readonly optional: boolean;
  readonly description: string;
}

/** What the command line needs to know of a provider. The code that reads its files is loaded only when it runs. */
export interface Source {
  readonly id: string;
  /** The provider's name for people. */
  readonly title: string;
  readonly inputs: readonly SourceInput[];
  /** Loads the provider's merge. */
  load(): Promise<Merge>;
}

/**
 * Merges the provider's files into entries of the import body. Every row read ends in exactly one count, and every row that does
 * not get through in the rejects with at least one reason. Raises input.* problems.
 */
export type Merge = (job: MergeJob) => Promise<MergeResult>;

export interface MergeJob {
  readonly users: RowReader;
  readonly passwords: RowReader | undefined;
  /** undefined: each profile's own value. */
  readonly emailVerified: boolean | undefined;
  /**
   * How rows are read; the result is the same. "careful": every row by JSON.parse and its schema, the reference. "bytes": ordinary
   * rows without. "ahead": that in a second thread. "auto": whatever pays.
   */
  readonly reading: "auto" | "careful" | "bytes" | "ahead";
  readonly rejects: RejectSink;
  /** Takes the entries of a block; the buffer is left alone until the promise is settled, and used again then. */
  write(entries: EntryBuffer): Promise<void>;
  /** Called now and then. */
  progress(reader: RowReader, counts: MergeResult): void;
  readonly signal: AbortSignal;
  readonly cleanUp: CleanUp;
}

/** Takes what does not get through. */
export interface RejectSink {
  /** A row, verbatim; the bytes are copied. */
  row(kind: "users" | "passwords", bytes: Uint8Array): void;
  reason(fault: RowFault, file: string, line: number): void;
}

export interface MergeResult {
  readonly users: UserCounts;
  readonly passwords: PasswordCounts;
}
