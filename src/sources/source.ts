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
  /** Fields at the top of its rows. Any of them identifies the file, so that swapped files are noticed. */
  readonly marks?: readonly string[];
  /** true: an absent default file means "none", and is said so; false: it is an error. */
  readonly optional?: boolean;
}

/** A flag that only one provider has, as data. */
export interface SourceOption<Value> {
  /** As commander writes it: `--idp <provider=id>`, or `--keep-links` for a switch. */
  readonly flag: string;
  readonly description: string;
  /** The names that its value may be, or may assign something to. */
  readonly names?: readonly string[];
  /**
   * Reads what was given: one text each time the flag stands there, [""] for a switch, [] when it is not there. Raises OptionFault.
   * `readFile` gives the text of a file that an option names.
   */
  read(given: readonly string[], readFile: (path: string) => string): Value;
}

/** What was given last, as other flags have it: of a flag that counts once. */
export function last(given: readonly string[]): string | undefined {
  return given.at(-1);
}

/** Reads what was given last; undefined without the flag. */
export function ofLast<Value>(given: readonly string[], read: (text: string) => Value): Value | undefined {
  const text = last(given);
  return text === undefined ? undefined : read(text);
}

/** What is wrong with an option's value, as a sentence. */
export class OptionFault extends Error {
  override readonly name = "OptionFault";
}

/** The options of a provider by the names its code knows them by. */
export type OptionTable = Readonly<Record<string, SourceOption<unknown>>>;

/** The values of options. */
export type Settings<Table extends OptionTable> = {
  readonly [Name in keyof Table]: Table[Name] extends SourceOption<infer Value> ? Value : never;
};

/**
 * A source provider: what its files are called, and how their rows are to be understood. The core does everything else: it cuts
 * files into rows, joins them, counts, rejects and writes (src/sources/README.md shows how to add one).
 */
export interface Source<Table extends OptionTable = OptionTable> {
  /** As in `migrate <id>`. */
  readonly id: string;
  /** The provider's name for people. */
  readonly title: string;
  /** The users. */
  readonly users: SourceInput;
  /** A second file whose rows hold the users' hashes; absent where the first one holds everything. */
  readonly credentials?: SourceInput;
  readonly options: Table;
  /** The flag that carries a field over which is left behind otherwise (`UserNotes.fields`); "": for all others. */
  readonly carriedBy?: Readonly<Record<string, string>>;
  /** Its users may say which organization they belong to (`SourceUser.orgId`, `orgName`). */
  readonly namesOrgs?: boolean;
  /** What it says about its rows, as its options have it. @param now when the run began. */
  createRows(settings: Settings<Table>, now: Date): RowReaders;
}

/** The inputs of a source, in the order of its command's flags. */
export function inputsOf({ users, credentials }: Pick<Source, "users" | "credentials">): readonly SourceInput[] {
  return credentials === undefined ? [users] : [users, credentials];
}

/** The inputs of sources that are known by their fields. */
export function markedInputs(sources: readonly Source[]) {
  return sources.flatMap((source) =>
    inputsOf(source).flatMap(({ flag, marks }) =>
      marks === undefined ? [] : [{ source: source.id, title: source.title, flag, marks }],
    ),
  );
}
