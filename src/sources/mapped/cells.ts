import type { RowFault } from "../../problem.ts";
import type { Identity } from "../shared/options.ts";

/** Where in a row a value is. */
export interface Place {
  /** As it is written with `--map`, for messages. */
  readonly column: string;
  /** The value's own name. It can give the value its meaning: true is something else in `is_active` than in `blocked`. */
  readonly name: string;
}

/** Values of one row at a time. One for all rows: a million objects less. */
export abstract class Cells<P extends Place> {
  /** What keeps the current row from being read, by the place. */
  readonly faults = new Map<string, RowFault>();

  /** Goes to a row. */
  abstract of(row: object): this;

  /** The trimmed text; undefined for an empty one. */
  abstract text(place: P): string | undefined;

  /** As it stands there, with blanks: a password or a salt may begin with one. */
  abstract verbatim(place: P): string | undefined;

  /** True if blanks around the value may belong to the form of the input. */
  abstract isPadded(place: P): boolean;

  /** The texts of a list. */
  abstract list(place: P): readonly string[];

  /** True if a place with the name of a salt holds something else than the hash, read or not. */
  abstract hasSalt(hash: string): boolean;

  /** The accounts of the user at other providers. */
  abstract identities(): readonly Identity[];

  /** Adds metadata that is found by the names in the row. */
  addMetadata(_: Record<string, string>): void {}

  /** Names of what the row holds and the plan does not read. @param isOpen the user is written as open. */
  leftOut(_isOpen: boolean): readonly string[] | undefined {
    return undefined;
  }

  /** The text of the first place that holds something. */
  first(places: readonly P[]): string | undefined {
    for (let at = 0; at < places.length; at += 1) {
      const text = this.text(places[at] as P);
      if (text !== undefined) return text;
    }
    return undefined;
  }

  /** The first place that holds something, for messages; otherwise the first of them. */
  columnOf(places: readonly P[]): string {
    return (places.find((place) => this.text(place) !== undefined) ?? places[0])?.column ?? "";
  }
}

/** Databases and shells write NULL and \\N for a value that is not there, spreadsheets an apostrophe for an empty text. */
export function isAbsent(text: string): boolean {
  return text === "" || text === "NULL" || text === "\\N" || text === "'";
}

/** The parts of a text with `|` or `,` between them. */
export function listOf(text: string): readonly string[] {
  return text
    .split(/[|,]/)
    .map((element) => element.trim())
    .filter((element) => element !== "");
}

/** undefined: it is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A text as it is, anything else as JSON; undefined for null and an empty text. */
export function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  const text = (typeof value === "string" ? value : JSON.stringify(value)).trim();
  return text === "" ? undefined : text;
}
