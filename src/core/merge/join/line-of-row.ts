/**
 * The line of each row of a file, by the row's number. Nearly always the distance of the two stays the same from row to row, so
 * only the rows where it changes are kept.
 */
export class LineOfRow {
  readonly #rows: number[] = [];
  readonly #distances: number[] = [];

  /** Rows must come in order, each once. */
  add(row: number, line: number): void {
    if (this.#distances.at(-1) === line - row) return;
    this.#rows.push(row);
    this.#distances.push(line - row);
  }

  /** The line of a row that was added. */
  lineOf(row: number): number {
    let low = 0;
    let high = this.#rows.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#rows[middle] as number) <= row) low = middle;
      else high = middle - 1;
    }
    return row + (this.#distances[low] ?? 0);
  }
}
