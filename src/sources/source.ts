import type { FolderShape, InputShape } from "../core/merge/input-shape.ts";
import type { RowReaders } from "../core/merge/reading.ts";

/** A file that a provider's command reads, as data: the command line is built from it. */
export interface SourceInput {
  /** Flag without dashes; rejected rows go to a file of this name, and problems name the input by it. */
  readonly flag: string;
  /** The path read when the flag is not given. */
  readonly defaultPath: string;
  readonly description: string;
  /** How it holds its rows. */
  readonly shape: InputShape;
  /** A folder of such files may be given as well. */
  readonly folder?: FolderShape;
  /** true: an absent default file means "none", and is said so; false: it is an error. */
  readonly optional?: boolean;
}

/**
 * A source provider: what its files are called, and how their rows are to be understood. The core does everything else: it cuts
 * files into rows, joins them, counts, rejects and writes (src/sources/README.md tells how to add one).
 */
export interface Source {
  /** As in `migrate <id>`. */
  readonly id: string;
  /** The provider's name for people. */
  readonly title: string;
  /** The users. */
  readonly users: SourceInput;
  /** A second file whose rows hold the users' hashes; absent where the first one holds everything. */
  readonly credentials?: SourceInput;
  readonly rows: RowReaders;
}

/** The inputs of a source, in the order of its command's flags. */
export function inputsOf({ users, credentials }: Pick<Source, "users" | "credentials">): readonly SourceInput[] {
  return credentials === undefined ? [users] : [users, credentials];
}
