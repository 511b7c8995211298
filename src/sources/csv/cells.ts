import { depthFault } from "../../core/rules/text.ts";
import { Cells, isAbsent, listOf, parseJson, textOf } from "../mapped/cells.ts";
import type { KeyedPlaces } from "../mapped/plan.ts";
import { hasSalt } from "../mapped/salts.ts";
import type { UnreadStates } from "../mapped/unread-states.ts";
import { type Identity, valueAt } from "../shared/options.ts";
import { looksLikeHash } from "../shared/plain-password.ts";
import type { Cell } from "./columns.ts";

/** Some tools escape the quotes of JSON for a table once more. */
const ESCAPED_JSON = /^[[{]\s*\\"/;
const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;

/** A column with the user's ids at an identity provider. */
type LinkColumn = KeyedPlaces<Cell>;

/** What columns that are not read may have. */
export interface Unread {
  /** Where no column of hashes is read: those of which no user had a hash so far. */
  readonly hashes: Map<number, string>;
  /** Those that may have states. */
  readonly columns: ReadonlyMap<number, string>;
  readonly states: UnreadStates;
  /** Those with the name of a salt, and those with JSON that hashes are read from. */
  readonly salts: ReadonlyMap<number, string>;
}

/** The cells of a row of a table. */
export class TableCells extends Cells<Cell> {
  readonly #hasApostrophes: boolean;
  readonly #links: readonly LinkColumn[];
  #record: readonly string[] = [];
  readonly #unread: Unread;
  /** Cells that were parsed already, by their column. */
  readonly #json = new Map<number, unknown>();

  /**
   * @param hasApostrophes values begin with one that spreadsheets take away.
   * @param unread what is looked for in columns that are not read (`TablePlan.unread`).
   */
  constructor(hasApostrophes: boolean, links: readonly LinkColumn[], unread: Unread) {
    super();
    this.#unread = unread;
    this.#hasApostrophes = hasApostrophes;
    this.#links = links;
  }

  of(row: object): this {
    this.#record = row as readonly string[]; // RowFile.columns
    if (this.#json.size > 0) this.#json.clear();
    if (this.faults.size > 0) this.faults.clear();
    return this;
  }

  text(cell: Cell): string | undefined {
    const text = this.#trimmed(cell.index);
    if (text === undefined || isWhole(cell)) return text;
    if (cell.element !== undefined) return listOf(text)[cell.element];
    return textOf(valueAt(this.#parsed(cell, text), cell.path));
  }

  verbatim(cell: Cell): string | undefined {
    if (isWhole(cell)) return this.#bare(this.#record[cell.index] ?? "") || undefined;
    const text = cell.path.length === 0 ? undefined : this.#trimmed(cell.index);
    const value = text === undefined ? undefined : valueAt(this.#parsed(cell, text), cell.path);
    return typeof value === "string" && value !== "" ? value : this.text(cell);
  }

  isPadded(cell: Cell): boolean {
    const text = isWhole(cell) ? this.verbatim(cell) : undefined;
    return text !== text?.trim();
  }

  /** The elements of a cell that holds a list, as JSON or with `|` or `,` between them. */
  list(cell: Cell): readonly string[] {
    const text = this.text(cell);
    if (text === undefined) return [];
    if (!text.startsWith("[")) return listOf(text);
    // The text of a member or an element is a part of the cell, whose nesting is checked.
    const parsed = isWhole(cell) ? this.#parsed(cell, text) : parseJson(text);
    return Array.isArray(parsed) ? parsed.flatMap((value) => textOf(value) ?? []) : [];
  }

  hasSalt(hash: string): boolean {
    for (const [index, name] of this.#unread.salts) if (hasSalt(name, this.#trimmed(index), hash)) return true;
    return false;
  }

  identities(): readonly Identity[] {
    return this.#links.flatMap(({ key, cells }) => {
      const userId = this.first(cells);
      return userId === undefined ? [] : [{ provider: key, userId }];
    });
  }

  override leftOut(isOpen: boolean): undefined {
    const { hashes, columns, states } = this.#unread;
    for (const index of hashes.keys()) if (looksLikeHash(this.#trimmed(index) ?? "")) hashes.delete(index);
    if (!isOpen) return;
    for (const [index, name] of columns) {
      const text = states.isWanted(name) ? this.#trimmed(index) : undefined;
      if (text !== undefined) states.take(name, text);
    }
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
      if (fault !== undefined) this.faults.set(column, { ...fault, field: column });
      this.#json.set(index, fault === undefined ? parseJson(text) : undefined);
    }
    return this.#json.get(index);
  }
}

/** False for a part of what a cell holds. */
function isWhole({ path, element }: Cell): boolean {
  return path.length === 0 && element === undefined;
}
