import type { ColumnUse } from "../../core/merge/counts.ts";
import { type MissingColumn, ProblemError } from "../../problem.ts";
import { type Expression, type Field, fields, type Keyed } from "../mapped/fields.ts";
import { refuseOtherPreset } from "../mapped/options.ts";
import { draftPlan, hasPasswords, type KeyedPlaces, type Plan } from "../mapped/plan.ts";
import { hashPlaces, proposeMap } from "../mapped/propose.ts";
import { isSaltName } from "../mapped/salts.ts";
import { UnreadStates } from "../mapped/unread-states.ts";
import { isName, usualNames } from "../mapped/usual-names.ts";
import type { Unread } from "./cells.ts";
import { type Cell, Columns } from "./columns.ts";
import type { CsvSettings } from "./options.ts";
import { generic, presets, type TablePreset } from "./presets.ts";

/** How the rows of a table are read. */
export interface TablePlan {
  readonly plan: Plan<Cell>;
  /** true: values begin with an apostrophe, which is no part of them. */
  readonly hasApostrophes: boolean;
  /** By the names that `--idp` gives the providers, which are those of the columns. */
  readonly links: readonly KeyedPlaces<Cell>[];
  readonly unread: Unread;
  readonly use: ColumnUse;
}

/**
 * Finds out which column of a table is what: as it was asked for, and otherwise as the preset has it. The preset for any table takes a
 * column for the hashes whose first values are some, if no name says which one has them. Raises usage.no-such-column,
 * usage.no-column-for, usage.doubled-column, usage.other-preset, usage.unknown-table, usage.no-header,
 * usage.title-line, usage.plain-passwords.
 *
 * @param rows the first ones.
 */
export function createPlan(
  names: readonly string[],
  settings: CsvSettings,
  rows: readonly (readonly string[])[],
  now: Date,
): TablePlan {
  const columns = new Columns(names);
  const isAsked = Object.keys(settings.mapping.fields).length > 0;
  if (!isAsked) refuseOtherPreset(settings.preset, fittingIn(columns));
  const valuesOf = (name: string): readonly unknown[] => rows.map((row) => row[names.indexOf(name)]);
  const hashes = hashPlaces(names, valuesOf);
  const named =
    settings.preset ?? (isAsked ? undefined : recognize(columns, rows, () => proposedMap(columns, valuesOf, hashes)));
  const [hashByValues] =
    named === generic &&
    settings.mapping.fields.hash === undefined &&
    columns.cellsOf(usualNames.hash ?? "").cells.length === 0
      ? hashes
      : [];
  const preset = hashByValues === undefined ? named : { ...generic, fields: { ...generic.fields, hash: hashByValues } };
  const keys = names.flatMap((name) => keyed(name, preset?.metadataColumns));
  const { plan, missing, without } = draftPlan((text) => columns.cellsOf(text), settings, preset, keys);
  const ids = [...settings.idp.keys()].map((key) => ({ key, ...columns.cellsOf(key) }));
  const allMissing = [...missing, ...ids.flatMap((one) => one.missing)];
  if (allMissing.length > 0 || without.length > 0) {
    if (!names.every(isName)) throw new ProblemError({ code: "usage.no-header", preset: "firebase-csv" });
    refuseTitle(names, rows);
    refuseDoubled([...allMissing, ...without.flatMap((field) => missingFor(field, preset, columns))]);
    throw new ProblemError(
      allMissing.length > 0
        ? { code: "usage.no-such-column", missing: allMissing, columns: names }
        : {
            code: "usage.no-column-for",
            fields: without,
            columns: names,
            ...(settings.preset?.signatures === undefined ? {} : { preset: settings.preset.id }),
          },
    );
  }
  const links = ids.map(({ key, cells }) => ({ key, cells }));
  const isRecognized = settings.preset === undefined && preset !== undefined;
  const { used, unused } = useOf(names, plan, links);
  const numbered = unused.map((name) => [names.indexOf(name), name] as const);
  const hashColumns = new Map(hasPasswords(plan) ? [] : numbered);
  const states = new UnreadStates(now);
  const unread = {
    hashes: hashColumns,
    columns: new Map(numbered.filter(([, name]) => states.isWanted(name))),
    states,
    salts: saltColumns(names, plan),
  };
  const use: ColumnUse = {
    ...{ preset: preset?.id, isRecognized, used, unused },
    ...(hashByValues === undefined ? {} : { hashByValues }),
    get unreadHashes() {
      return hasPasswords(plan) ? [] : unused.filter((name) => ![...hashColumns.values()].includes(name));
    },
    get unreadStates() {
      return states.found;
    },
  };
  return { plan, hasApostrophes: preset?.hasApostrophes === true, links, unread, use };
}

/** Where a salt may be, by the names. */
function saltColumns(names: readonly string[], { cells }: Plan<Cell>): ReadonlyMap<number, string> {
  const json = new Set(cells.hash.flatMap(({ index, path }) => (path.length > 0 ? [index] : [])));
  return new Map([...names.entries()].filter(([index, name]) => json.has(index) || isSaltName(name)));
}

/** Raises usage.doubled-column for the first column that occurs several times. */
function refuseDoubled(missing: readonly MissingColumn[]): void {
  const { name: column, times } = missing.find((one) => one.times !== undefined) ?? {};
  if (column !== undefined && times !== undefined)
    throw new ProblemError({ code: "usage.doubled-column", column, times });
}

/** The text of a title may hold what separates values below it, or not. */
const DELIMITER = /[,;\t|]/;

/** Raises usage.title-line if the table begins with a single text, and one of the first rows has only names. */
function refuseTitle(names: readonly string[], rows: readonly (readonly string[])[]): void {
  const [title = "", ...others] = names.filter((name) => name !== "");
  if (others.length > 0 || /^sep=/i.test(title)) return;
  const all = rows.map((row) => row.flatMap((value) => value.split(DELIMITER)).filter((value) => value.trim() !== ""));
  const header = all.find((values) => values.length > 1 && values.every(isName));
  if (header !== undefined) throw new ProblemError({ code: "usage.title-line", names: header });
}

/** The columns of a preset that the table does not have once; none for a field that has another one. */
function missingFor(field: Field, preset: TablePreset | undefined, columns: Columns): readonly MissingColumn[] {
  const expression = preset?.fields[field];
  const found = expression === undefined ? undefined : columns.cellsOf(expression);
  return found === undefined || found.cells.length > 0 ? [] : found.missing;
}

function useOf(
  names: readonly string[],
  { cells, metadata, others, providers }: Plan<Cell>,
  links: readonly KeyedPlaces<Cell>[],
): Pick<ColumnUse, "used" | "unused"> {
  const all = [Object.values(cells), [...metadata, ...links, ...others].map((one) => one.cells), [providers]];
  const used = new Set(all.flat(2).map(({ index }) => index));
  return {
    used: Object.fromEntries(fields.flatMap((field) => (cells[field][0] ? [[field, namesOf(cells[field])]] : []))),
    unused: names.filter((name, index) => name !== "" && !used.has(index)),
  };
}

/** The one preset that the names of the columns fit. Raises usage.unknown-table, usage.doubled-column, usage.no-header, usage.title-line. */
function recognize(columns: Columns, rows: readonly (readonly string[])[], mapping: () => string): TablePreset {
  const fitting = fittingIn(columns);
  const [only] = fitting;
  if (only !== undefined && fitting.length === 1) return only;
  // The first row is a user otherwise.
  if (!columns.names.every(isName)) throw new ProblemError({ code: "usage.no-header", preset: "firebase-csv" });
  refuseTitle(columns.names, rows);
  refuseDoubled((["userId", "email"] as const).flatMap((field) => missingFor(field, generic, columns)));
  throw new ProblemError({
    code: "usage.unknown-table",
    columns: columns.names,
    presets: presets.map(({ id }) => id),
    mapping: mapping(),
  });
}

function fittingIn(columns: Columns): readonly TablePreset[] {
  return presets.filter(({ signatures = [] }) => signatures.some((names) => columns.hasAll(names)));
}

/** What the preset for any table would take the columns for, and those whose values say it. */
function proposedMap(
  columns: Columns,
  valuesOf: (name: string) => readonly unknown[],
  hashes: readonly string[],
): string {
  const { metadataColumns } = generic;
  const metadata = columns.names.flatMap((name) => keyed(name, metadataColumns));
  const find = (names: Expression) => columns.cellsOf(names).cells.map(({ column }) => column);
  const usual = proposeMap(find, valuesOf, "column", hashes);
  return [usual, ...metadata.map(([key, name]) => `metadata.${key}=${name}`)].join(",");
}

function keyed(name: string, form: RegExp | undefined): readonly Keyed[] {
  const [, key] = form?.exec(name) ?? [];
  return key === undefined ? [] : [[key, name]];
}

/** As a person would write it with `--map`. */
function namesOf(cells: readonly Cell[]): string {
  return cells
    .map(({ column, path, element }) => [column, ...path].join(".") + (element === undefined ? "" : `[${element}]`))
    .join("|");
}
