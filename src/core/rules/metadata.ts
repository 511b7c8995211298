import { textFault } from "./text.ts";

interface Entry {
  readonly key: string;
  readonly value: string;
}

const MAX_KEY = 200;
const MAX_VALUE_BYTES = 500_000;

/**
 * Metadata out of any object: texts as they are, everything else as JSON, null and "" not at all, since an empty value refuses the
 * whole call (service behaviour 1.5). What the service would not take is left out.
 */
export function toMetadata(
  values: Readonly<Record<string, unknown>>,
  prefix: string,
): { readonly metadata: readonly Entry[] /** Keys. */; readonly lost: readonly string[] } {
  const metadata: Entry[] = [];
  const lost: string[] = [];
  for (const [name, given] of Object.entries(values)) {
    if (given === null || given === undefined || given === "") continue;
    const key = prefix + name;
    const value = typeof given === "string" ? given : JSON.stringify(given);
    if (textFault(key, MAX_KEY) === undefined && Buffer.byteLength(value) <= MAX_VALUE_BYTES)
      metadata.push({ key, value });
    else lost.push(key);
  }
  return { metadata, lost };
}
