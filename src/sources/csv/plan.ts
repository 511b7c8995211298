import type { ColumnUse } from "../../core/merge/counts.ts";
import { type MissingColumn, ProblemError } from "../../problem.ts";
import { type Cell, Columns, isHeader } from "./columns.ts";
import { type Field, fields, type Mapping } from "./fields.ts";
import type { CsvSettings } from "./options.ts";
import { generic, type Preset, presets } from "./presets.ts";

/** Which cell of a row is what. */
export interface Plan {
  readonly preset: Preset | undefined;
  readonly cells: Readonly<Record<Field, readonly Cell[]>>;
  readonly metadata: readonly Keyed[];
  /** By the names that `--idp` gives the providers, which are those of the columns. */
  readonly links: readonly Keyed[];
  /** Lists of addresses and numbers of which the user's own is one. */
  readonly others: readonly {
    readonly key: string;
    readonly besides: "email" | "phone";
    readonly cells: readonly Cell[];
  }[];
  /** Ways to sign in, of which the hash belongs to some. */
  readonly providers: readonly Cell[];
  /** Who has nothing in any of them is an anonymous visitor. */
  readonly anonymousWithout: readonly Cell[];
  readonly use: ColumnUse;
}

interface Keyed {
  readonly key: string;
  readonly cells: readonly Cell[];
}

/**
 * Finds out which column of a table is what: as it was asked for, and otherwise as the preset has it. Raises usage.no-such-column,
 * usage.no-column-for, usage.unknown-table, usage.no-header, usage.plain-passwords.
 */
export function createPlan(names: readonly string[], settings: CsvSettings): Plan {
  const columns = new Columns(names);
  const asked = settings.mapping;
  if (asked.fields.password !== undefined && !settings.plainPasswords) {
    throw new ProblemError({ code: "usage.plain-passwords" });
  }
  const isAsked = Object.keys(asked.fields).length > 0;
  const recognized = settings.preset ?? (isAsked ? undefined : recognize(columns));
  const finder = new Finder(columns, recognized, settings);
  const plan = finder.plan(asked, settings.preset === undefined && recognized !== undefined);
  finder.check(plan);
  return plan;
}

/** The one preset that the names of the columns fit. Raises usage.unknown-table, usage.no-header. */
function recognize(columns: Columns): Preset {
  const fitting = presets.filter(({ signatures = [] }) => signatures.some((names) => columns.hasAll(names)));
  const [only] = fitting;
  if (only !== undefined && fitting.length === 1) return only;
  if (!isHeader(columns.names)) throw new ProblemError({ code: "usage.no-header", preset: "firebase-csv" });
  const mapping = generalMapping(columns);
  throw new ProblemError({
    code: "usage.unknown-table",
    columns: columns.names,
    presets: presets.map(({ id }) => id),
    ...(mapping === undefined ? {} : { general: { preset: generic.id, mapping } }),
  });
}

/** What the preset for any table would take the columns for, if it would do. */
function generalMapping(columns: Columns): string | undefined {
  const found = Object.entries(generic.fields).flatMap(([field, expression]) => {
    const [first] = field === "password" ? [] : columns.cellsOf(expression).cells;
    return first === undefined ? [] : [[field, first.column] as const];
  });
  const named = new Set(found.map(([field]) => field));
  return named.has("userId") && named.has("email") ? found.map((pair) => pair.join("=")).join(",") : undefined;
}

class Finder {
  readonly #columns: Columns;
  readonly #preset: Preset | undefined;
  readonly #settings: CsvSettings;
  readonly #missing: MissingColumn[] = [];

  constructor(columns: Columns, preset: Preset | undefined, settings: CsvSettings) {
    this.#columns = columns;
    this.#preset = preset;
    this.#settings = settings;
  }

  plan(asked: Mapping, isRecognized: boolean): Plan {
    const preset = this.#preset;
    const cells = this.#cells(asked);
    const metadata = this.#metadata(asked);
    const links = [...this.#settings.idp.keys()].map((key) => ({ key, cells: this.#asked(key) }));
    const others = (this.#settings.withoutMetadata ? [] : (preset?.others ?? [])).map(({ key, besides, columns }) => ({
      key,
      besides,
      cells: this.#known(columns),
    }));
    const providers = this.#known(preset?.providers?.column);
    const anonymousWithout = (preset?.anonymousWithout ?? []).flatMap((column) => this.#known(column));
    const all = [Object.values(cells), [...metadata, ...links, ...others].map((one) => one.cells), [providers]];
    const used = new Set(all.flat(2).map(({ index }) => index));
    const use = {
      preset: preset?.id,
      isRecognized,
      used: Object.fromEntries(fields.flatMap((field) => (cells[field][0] ? [[field, namesOf(cells[field])]] : []))),
      unused: this.#columns.names.filter((name, index) => name !== "" && !used.has(index)),
    };
    return { preset, cells, metadata, links, others, providers, anonymousWithout, use };
  }

  /** Raises a problem when the table does not have what was asked for, or what every user must have. */
  check({ cells }: Plan): void {
    const { names } = this.#columns;
    // A user with a user name can get an address made of it.
    const canDoWithout = cells.userName.length > 0 && this.#settings.emailDomain !== undefined;
    const required = canDoWithout ? (["userId"] as const) : (["userId", "email"] as const);
    const needed = required.filter((field) => cells[field].length === 0);
    const isPasswordless = this.#settings.plainPasswords && cells.password.length === 0;
    const without: readonly Field[] = isPasswordless ? [...needed, "password"] : needed;
    if (this.#missing.length === 0 && without.length === 0) return;
    if (!isHeader(names)) throw new ProblemError({ code: "usage.no-header", preset: "firebase-csv" });
    if (this.#missing.length > 0) {
      throw new ProblemError({ code: "usage.no-such-column", missing: this.#missing, columns: names });
    }
    throw new ProblemError({ code: "usage.no-column-for", fields: without, columns: names });
  }

  #cells(asked: Mapping): Record<Field, readonly Cell[]> {
    const { plainPasswords } = this.#settings;
    const cells = {} as Record<Field, readonly Cell[]>; // every field is set below
    for (const field of fields) {
      const expression = asked.fields[field];
      cells[field] = expression === undefined ? this.#known(this.#preset?.fields[field]) : this.#asked(expression);
    }
    // A column of passwords is one or the other.
    if (!plainPasswords) cells.password = [];
    const plain = new Set(cells.password.map(({ index }) => index));
    if (asked.fields.hash === undefined) cells.hash = cells.hash.filter(({ index }) => !plain.has(index));
    // The address is the user name, unless another one is.
    if (cells.userName.length === 0) cells.userName = cells.email;
    return cells;
  }

  #metadata(asked: Mapping): readonly Keyed[] {
    const { metadata = {}, metadataColumns } = this.#settings.withoutMetadata ? {} : (this.#preset ?? {});
    const named =
      metadataColumns === undefined ? [] : this.#columns.names.flatMap((name) => keyed(name, metadataColumns));
    const known = [...Object.entries(metadata), ...named].map(([key, column]) => ({ key, cells: this.#known(column) }));
    const wanted = Object.entries(asked.metadata).map(([key, column]) => ({ key, cells: this.#asked(column) }));
    const keys = new Set(wanted.map(({ key }) => key));
    return [...known.filter(({ key, cells }) => cells.length > 0 && !keys.has(key)), ...wanted];
  }

  /** Cells of a preset: columns that the table does not have are ignored. */
  #known(expression: string | undefined): readonly Cell[] {
    return expression === undefined ? [] : this.#columns.cellsOf(expression).cells;
  }

  /** Cells that were asked for: the table must have all of them. */
  #asked(expression: string): readonly Cell[] {
    const { cells, missing } = this.#columns.cellsOf(expression);
    this.#missing.push(...missing);
    return cells;
  }
}

function keyed(name: string, form: RegExp): readonly (readonly [key: string, column: string])[] {
  const [, key] = form.exec(name) ?? [];
  return key === undefined ? [] : [[key, name]];
}

/** As a person would write it with `--map`. */
function namesOf(cells: readonly Cell[]): string {
  return cells
    .map(({ column, path, element }) => [column, ...path].join(".") + (element === undefined ? "" : `[${element}]`))
    .join("|");
}
