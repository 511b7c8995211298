/** A file that a source provider's command reads, as data: the command line is built from it. */
export interface SourceInput {
  /** Flag without dashes; also the key of the parsed options. */
  readonly flag: string;
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
}
