import { depthFault } from "../../core/rules/text.ts";
import type { RowFault } from "../../problem.ts";
import { valueAt } from "../shared/options.ts";
import type { Cell } from "./columns.ts";

/** Databases and shells write NULL and \\N for a value that is not there. */
function isAbsent(text: string): boolean {
  return text === "" || text === "NULL" || text === "\\N";
}

/** Some tools escape the quotes of JSON for a table once more. */
const ESCAPED_JSON = /^[[{]\s*\\"/;
const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;

/** The cells of one row. */
export class Cells {
  readonly #hasApostrophes: boolean;
  #record: readonly string[] = [];
  /** Cells that were parsed already, by their column. */
  readonly #json = new Map<number, unknown>();
  /** Columns of this row whose JSON is nested too deep to be read. */
  readonly tooDeep = new Map<string, RowFault>();

  /** @param hasApostrophes values begin with one that spreadsheets take away. */
  constructor(hasApostrophes: boolean) {
    this.#hasApostrophes = hasApostrophes;
  }

  /** Goes to a row. */
  of(record: readonly string[]): this {
    this.#record = record;
    if (this.#json.size > 0) this.#json.clear();
    if (this.tooDeep.size > 0) this.tooDeep.clear();
    return this;
  }

  /** The trimmed text of a cell; undefined for an empty one. */
  text(cell: Cell): string | undefined {
    const text = this.#trimmed(cell.index);
    if (text === undefined || (cell.path.length === 0 && cell.element === undefined)) return text;
    if (cell.element !== undefined) return listOf(text)[cell.element];
    return textOf(valueAt(this.#parsed(cell, text), cell.path));
  }

  /** As it stands there, with blanks: a password may begin with one. */
  verbatim({ index }: Cell): string | undefined {
    const text = this.#record[index] ?? "";
    return text === "" ? undefined : this.#bare(text);
  }

  /** The text of the first cell that holds something. */
  first(cells: readonly Cell[]): string | undefined {
    for (let at = 0; at < cells.length; at += 1) {
      const text = this.text(cells[at] as Cell);
      if (text !== undefined) return text;
    }
    return undefined;
  }

  /** The column of the first cell that holds something, for what is said of it; otherwise of the first of them. */
  columnOf(cells: readonly Cell[]): string {
    return (cells.find((cell) => this.text(cell) !== undefined) ?? cells[0])?.column ?? "";
  }

  /** The elements of a cell that holds a list, as JSON or with `|` or `,` between them. */
  list(cell: Cell): readonly string[] {
    const text = this.text(cell);
    if (text === undefined) return [];
    if (!text.startsWith("[")) return listOf(text);
    // The text of a member or an element is a part of the cell, whose nesting is checked.
    const isWhole = cell.path.length === 0 && cell.element === undefined;
    const parsed = isWhole ? this.#parsed(cell, text) : parseJson(text);
    return Array.isArray(parsed) ? parsed.flatMap((value) => textOf(value) ?? []) : [];
  }

  #trimmed(index: number): string | undefined {
    const text = this.#bare(this.#record[index] ?? "").trim();
    if (isAbsent(text)) return undefined;
    const first = text.charCodeAt(0);
    const isEscaped = (first === OPEN_BRACE || first === OPEN_BRACKET) && ESCAPED_JSON.test(text);
    return isEscaped ? text.replaceAll('\\"', '"') : text;
  }

  #bare(text: string): string {
    return this.#hasApostrophes && text.startsWith("'") ? text.slice(1) : text;
  }

  #parsed({ index, column }: Cell, text: string): unknown {
    if (!this.#json.has(index)) {
      const fault = depthFault(text);
      if (fault !== undefined) this.tooDeep.set(column, { ...fault, field: column });
      this.#json.set(index, fault === undefined ? parseJson(text) : undefined);
    }
    return this.#json.get(index);
  }
}

function listOf(text: string): readonly string[] {
  return text
    .split(/[|,]/)
    .map((element) => element.trim())
    .filter((element) => element !== "");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  const text = (typeof value === "string" ? value : JSON.stringify(value)).trim();
  return text === "" ? undefined : text;
}
