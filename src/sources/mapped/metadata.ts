import type { Metadata } from "../../core/merge/source-user.ts";
import { toMetadata } from "../../core/rules/metadata.ts";
import type { Cells, Place } from "./cells.ts";
import type { Notes } from "./notes.ts";
import type { Plan } from "./plan.ts";

/** Says nothing. */
const EMPTY_JSON = new Set(["{}", "[]", "null"]);

/** Reads the metadata of the row that `cells` is at. */
export function createMetadata<P extends Place>(
  plan: Plan<P>,
  cells: Cells<P>,
): (notes: Notes) => readonly Metadata[] | undefined {
  return (notes) => {
    const values: Record<string, string> = {};
    addColumns(plan, cells, values);
    cells.addMetadata(values);
    addOthers(plan, cells, values);
    let isEmpty = true;
    for (const _ in values) isEmpty = false;
    if (isEmpty) return undefined;
    const { metadata, lost } = toMetadata(values, "");
    if (lost.length > 0) {
      notes.tell("metadata-lost");
      notes.metadata = lost;
    }
    return metadata.length === 0 ? undefined : metadata;
  };
}

function addColumns<P extends Place>({ metadata }: Plan<P>, cells: Cells<P>, values: Record<string, string>): void {
  for (const { key, cells: of } of metadata) {
    const text = cells.first(of);
    if (text !== undefined && !EMPTY_JSON.has(text)) values[key] = text;
  }
}

/** The addresses and numbers that a user has besides the own ones. */
function addOthers<P extends Place>(
  { others, cells: of }: Plan<P>,
  cells: Cells<P>,
  values: Record<string, string>,
): void {
  for (const { key, cells: lists, besides } of others) {
    let more: string[] | undefined;
    let own: string | undefined;
    for (const cell of lists) {
      const text = cells.text(cell);
      if (text === undefined) continue;
      own ??= cells.first(of[besides]);
      // Nearly always it is the own one alone.
      if (text !== own) more = [...(more ?? []), ...cells.list(cell)];
    }
    if (more === undefined) continue;
    const rest = new Set(more.filter((text) => text.toLowerCase() !== own?.toLowerCase()));
    if (rest.size > 0) values[key] = [...rest].join(",");
  }
}
