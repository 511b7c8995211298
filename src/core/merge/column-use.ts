/** What became of the columns of a table, for the summary. */
export interface ColumnUse {
  /** The preset by which it was read. */
  readonly preset: string | undefined;
  /** Nobody named the preset: the names of the columns are its own. */
  readonly isRecognized: boolean;
  /** Names of columns by what they were read as. */
  readonly used: Readonly<Record<string, string>>;
  /** Names of the columns that were not read. */
  readonly unused: readonly string[];
}
