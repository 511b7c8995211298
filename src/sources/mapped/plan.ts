import { type MissingColumn, ProblemError } from "../../problem.ts";
import type { Place } from "./cells.ts";
import { type Field, fields, type Keyed, type Mapping, type Preset } from "./fields.ts";
import type { MappedSettings } from "./options.ts";

/** Where in a row each field of a user is. */
export interface Plan<P extends Place> {
  readonly preset: Preset | undefined;
  readonly cells: Readonly<Record<Field, readonly P[]>>;
  readonly metadata: readonly KeyedPlaces<P>[];
  /** Lists of addresses and numbers of which the user's own is one. */
  readonly others: readonly (KeyedPlaces<P> & { readonly besides: "email" | "phone" })[];
  /** Ways to sign in, of which the hash belongs to some. */
  readonly providers: readonly P[];
  /** A row with nothing in any of them is an anonymous visitor. */
  readonly anonymousWithout: readonly P[];
}

export interface KeyedPlaces<P extends Place> {
  readonly key: string;
  readonly cells: readonly P[];
}

/** What an expression of `--map` finds in the rows of an input. */
export interface Found<P extends Place> {
  readonly cells: readonly P[];
  readonly missing: readonly MissingColumn[];
}

/** A plan, and what was asked for that the input does not have. */
export interface PlanDraft<P extends Place> {
  readonly plan: Plan<P>;
  readonly missing: readonly MissingColumn[];
  /** Fields that every user must have, and that nothing is read for. */
  readonly without: readonly Field[];
}

/**
 * Plans how rows are read: as `--map` says, otherwise as the preset does. Raises usage.plain-passwords.
 *
 * @param find what an expression means.
 * @param named metadata that the preset takes by the names in the input.
 */
export function draftPlan<P extends Place>(
  find: (expression: string) => Found<P>,
  { mapping: asked, plainPasswords, withoutMetadata, emailDomain }: MappedSettings,
  preset: Preset | undefined,
  named: readonly Keyed[] = [],
): PlanDraft<P> {
  if (asked.fields.password !== undefined && !plainPasswords) throw new ProblemError({ code: "usage.plain-passwords" });
  const missing: MissingColumn[] = [];
  // The input must have what was asked for. What a preset names may be missing.
  const wanted = (expression: string): readonly P[] => {
    const found = find(expression);
    missing.push(...found.missing);
    return found.cells;
  };
  const known = (expression: string | undefined): readonly P[] =>
    expression === undefined ? [] : find(expression).cells;
  const cells = cellsOf(asked, plainPasswords, (field) => {
    const expression = asked.fields[field];
    return expression === undefined ? known(preset?.fields[field]) : wanted(expression);
  });
  const { metadata = {}, others = [] } = withoutMetadata ? {} : (preset ?? {});
  const given = Object.entries(asked.metadata).map(([key, column]) => ({ key, cells: wanted(column) }));
  const keys = new Set(given.map(({ key }) => key));
  const usual = [...Object.entries(metadata), ...(withoutMetadata ? [] : named)]
    .map(([key, column]) => ({ key, cells: known(column) }))
    .filter((one) => one.cells.length > 0 && !keys.has(one.key));
  const plan: Plan<P> = {
    preset,
    cells,
    metadata: [...usual, ...given],
    others: others.map(({ key, besides, columns }) => ({ key, besides, cells: known(columns) })),
    providers: known(preset?.providers?.column),
    anonymousWithout: (preset?.anonymousWithout ?? []).flatMap(known),
  };
  const required: readonly Field[] = [
    "userId",
    // An address can be made of the user name or the id.
    ...(emailDomain === undefined ? (["email"] as const) : []),
    ...(plainPasswords ? (["password"] as const) : []),
  ];
  return { plan, missing, without: required.filter((field) => cells[field].length === 0) };
}

function cellsOf<P extends Place>(
  asked: Mapping,
  plainPasswords: boolean,
  placesOf: (field: Field) => readonly P[],
): Record<Field, readonly P[]> {
  const cells = {} as Record<Field, readonly P[]>; // every field is set below
  for (const field of fields) cells[field] = placesOf(field);
  // A place of passwords is one or the other.
  if (!plainPasswords) cells.password = [];
  const plain = new Set(cells.password.map(({ column }) => column));
  if (asked.fields.hash === undefined) cells.hash = cells.hash.filter(({ column }) => !plain.has(column));
  // The address is the user name, unless another one is.
  if (cells.userName.length === 0) cells.userName = cells.email;
  return cells;
}

/** Whether something is read as a hash or a password. */
export function hasPasswords({ cells }: Pick<Plan<Place>, "cells">): boolean {
  return cells.hash.length + cells.password.length > 0;
}
