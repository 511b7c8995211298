import type { Metadata } from "../../core/merge/source-user.ts";
import { toMetadata } from "../../core/rules/metadata.ts";
import type { Cells } from "./cells.ts";
import type { Notes } from "./notes.ts";
import type { Plan } from "./plan.ts";

/** Says nothing. */
const EMPTY_JSON = new Set(["{}", "[]", "null"]);

/** Reads the metadata of the row that `cells` is at; undefined: no column holds any. */
export function createMetadata(
  plan: Plan,
  cells: Cells,
): ((notes: Notes) => readonly Metadata[] | undefined) | undefined {
  if (plan.metadata.length === 0 && plan.others.length === 0) return undefined;
  return (notes) => {
    const values = { ...columnsOf(plan, cells), ...othersOf(plan, cells) };
    const { metadata, lost } = toMetadata(values, "");
    if (lost > 0) notes.tell("metadata-lost");
    return metadata.length === 0 ? undefined : metadata;
  };
}

function columnsOf({ metadata }: Plan, cells: Cells): Record<string, string> {
  const values: Record<string, string> = {};
  for (const { key, cells: of } of metadata) {
    const text = cells.first(of)?.text;
    if (text !== undefined && !EMPTY_JSON.has(text)) values[key] = text;
  }
  return values;
}

/** The addresses and numbers that a user has besides the own ones. */
function othersOf({ others, cells: of }: Plan, cells: Cells): Record<string, string> {
  const values: Record<string, string> = {};
  for (const { key, cells: lists, besides } of others) {
    const own = cells.first(of[besides])?.text;
    const more: string[] = [];
    for (const cell of lists) {
      // Nearly always it is the own one alone.
      if (cells.text(cell) !== own) more.push(...cells.list(cell));
    }
    const rest = new Set(more.filter((text) => text.toLowerCase() !== own?.toLowerCase()));
    if (rest.size > 0) values[key] = [...rest].join(",");
  }
  return values;
}
