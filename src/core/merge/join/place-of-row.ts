/**
 * The file and line of each row of an input, by the row's number. Nearly always the distance of line and number stays the same from
 * row to row, so only the rows where something changes are kept.
 */
export class PlaceOfRow {
  readonly #rows: number[] = [];
  readonly #distances: number[] = [];
  readonly #files: (string | undefined)[] = [];

  /** Rows must come in order, each once. @param file undefined: the input is one file. */
  add(row: number, line: number, file: string | undefined): void {
    if (this.#distances.at(-1) === line - row && this.#files.at(-1) === file) return;
    this.#rows.push(row);
    this.#distances.push(line - row);
    this.#files.push(file);
  }

  /** The line of a row that was added. */
  lineOf(row: number): number {
    return row + (this.#distances[this.#changeOf(row)] ?? 0);
  }

  /** The file of a row that was added; undefined where the input is one file. */
  fileOf(row: number): string | undefined {
    return this.#files[this.#changeOf(row)];
  }

  /** The last change at or before the row. */
  #changeOf(row: number): number {
    let low = 0;
    let high = this.#rows.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#rows[middle] as number) <= row) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
