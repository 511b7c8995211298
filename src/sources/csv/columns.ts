import { nearestName } from "../../core/rules/names.ts";
import type { MissingColumn } from "../../problem.ts";
import type { Place } from "../mapped/cells.ts";
import type { Expression } from "../mapped/fields.ts";
import type { Found } from "../mapped/plan.ts";
import { plainName } from "../mapped/usual-names.ts";

/** A cell of a row, or a part of it. `column`: as the table names it. */
export interface Cell extends Place {
  readonly index: number;
  /** Keys into the JSON of the cell. */
  readonly path: readonly string[];
  /** Of a list with `|` or `,` between its elements, the one that is meant. */
  readonly element: number | undefined;
}

/** The columns of a table by their names, in which case, blanks, `_` and `-` do not count. */
export class Columns {
  readonly names: readonly string[];
  readonly #indexes = new Map<string, readonly number[]>();

  constructor(names: readonly string[]) {
    this.names = names;
    for (const [index, name] of names.entries()) {
      this.#indexes.set(plainName(name), [...(this.#indexes.get(plainName(name)) ?? []), index]);
    }
  }

  /** True when it has all of these columns. */
  hasAll(names: readonly string[]): boolean {
    return names.every((name) => this.#indexes.has(plainName(name)));
  }

  /** The cells that an expression names, as far as the table has them, and the columns that it does not have. */
  cellsOf(expression: Expression): Found<Cell> {
    const cells: Cell[] = [];
    const missing: MissingColumn[] = [];
    // A column may have a | in its name.
    const parts = this.#find(expression.trim()) === undefined ? expression.split("|") : [expression];
    for (const part of parts.map((text) => text.trim())) {
      const found = this.#cellOf(part);
      if (found === undefined) missing.push(this.#missing(part));
      else if (found === "ambiguous") missing.push(this.#ambiguous(part));
      else cells.push(found);
    }
    return { cells, missing };
  }

  #cellOf(text: string): Cell | "ambiguous" | undefined {
    const whole = this.#find(text);
    if (whole !== undefined) return whole === "ambiguous" ? whole : this.#cell(whole, [], undefined);
    const [, list, element] = /^(.*)\[(\d+)\]$/.exec(text) ?? [];
    const listAt = list === undefined ? undefined : this.#find(list);
    if (typeof listAt === "number") return this.#cell(listAt, [], Number(element));
    // The longest name that is a column; what follows is a path.
    for (let dot = text.lastIndexOf("."); dot > 0; dot = text.lastIndexOf(".", dot - 1)) {
      const found = this.#find(text.slice(0, dot));
      if (typeof found === "number") return this.#cell(found, text.slice(dot + 1).split("."), undefined);
    }
    return undefined;
  }

  #cell(index: number, path: readonly string[], element: number | undefined): Cell {
    const column = this.names[index] ?? "";
    return { index, column, name: path.at(-1) ?? column, path, element };
  }

  /** The same name before one that differs in what does not count. */
  #find(name: string): number | "ambiguous" | undefined {
    const alike = this.#indexes.get(plainName(name)) ?? [];
    if (alike.length <= 1) return alike[0];
    const same = alike.filter((index) => this.names[index] === name);
    return same.length === 1 ? same[0] : "ambiguous";
  }

  #ambiguous(name: string): MissingColumn {
    const alike = (this.#indexes.get(plainName(name)) ?? []).map((index) => this.names[index] ?? "");
    const [first = "", ...others] = alike.includes(name) ? alike.filter((other) => other === name) : alike;
    const isOneName = others.every((other) => other === first);
    return isOneName ? { name: first, isAmbiguous: true, times: 1 + others.length } : { name, isAmbiguous: true };
  }

  #missing(name: string): MissingColumn {
    const suggestion = nearestName(name, this.names, plainName);
    return suggestion === undefined ? { name } : { name, suggestion };
  }
}
