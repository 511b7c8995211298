import type { Metadata } from "../../core/merge/source-user.ts";
import { toMetadata } from "../../core/rules/metadata.ts";
import { OptionFault, type SourceOption } from "../source.ts";
import { readAssignments } from "./assignments.ts";

/** Which attributes become metadata, and by which key. */
export interface MetadataChoice {
  readonly isAll: boolean;
  /** Keys by the attributes that were named. */
  readonly keys: ReadonlyMap<string, string>;
}

const ALL = "all";

/** `--metadata <attribute[=key]>` and `--metadata all`, repeatable. */
export const metadataOption: SourceOption<MetadataChoice> = {
  flag: "--metadata <attribute[=key]>",
  description: "attribute to keep as metadata, by its own name or another key; or all (repeatable)",
  read(given) {
    const named = given.filter((text) => text !== ALL);
    const assigned = named.map((text) => (text.includes("=") ? text : `${text}=${text}`));
    const keys = readAssignments(assigned, "<attribute>, <attribute>=<key> or all");
    if (toMetadata(Object.fromEntries([...keys.values()].map((key) => [key, "-"])), "").lost > 0) {
      throw new OptionFault("a key must have 1 to 200 characters.");
    }
    if (new Set(keys.values()).size < keys.size) throw new OptionFault("two attributes cannot have one key.");
    return { isAll: named.length < given.length, keys };
  },
};

/** What becomes of the attributes of one user. */
export interface AttributesReading {
  readonly metadata: readonly Metadata[];
  /** Some were wanted, and the service does not take them. */
  readonly isLost: boolean;
  /** Names of those that were not asked for. */
  readonly leftOut: readonly string[];
}

/**
 * The attributes that were asked for, as metadata: one value as it is, several as a JSON list of them, none or an empty one not at
 * all. Of two with one key, the first counts.
 */
export function chooseMetadata(
  attributes: ReadonlyMap<string, readonly string[]>,
  { isAll, keys }: MetadataChoice,
): AttributesReading {
  const chosen = new Map<string, unknown>();
  const leftOut: string[] = [];
  let isLost = false;
  for (const [name, values] of attributes) {
    const value = values.length > 1 ? values : values[0];
    if (value === undefined || value === "") continue;
    const key = keys.get(name) ?? (isAll ? name : undefined);
    if (key === undefined) leftOut.push(name);
    else if (chosen.has(key)) isLost = true;
    else chosen.set(key, value);
  }
  const { metadata, lost } = toMetadata(Object.fromEntries(chosen), "");
  return { metadata, isLost: isLost || lost > 0, leftOut };
}
