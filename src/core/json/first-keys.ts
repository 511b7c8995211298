import { createValueScan } from "./value-scan.ts";

const SPACES = new Set([0x20, 0x09, 0x0a, 0x0d]);
const QUOTE = 0x22;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;

/** As much of a file is looked at to find out what it is. */
export const BEGINNING_BYTES = 64 * 1024;

/**
 * The keys of the first object of a file, as far as its beginning tells: of the document itself, of the first element of an array, of the
 * first row of many. None where it begins otherwise. Nothing is checked beyond what it takes to get from key to key.
 */
export function firstKeys(beginning: Buffer): ReadonlySet<string> {
  const keys = new Set<string>();
  let at = skipSpaces(beginning, 0);
  if (beginning[at] === OPEN_BRACKET) at = skipSpaces(beginning, at + 1);
  if (beginning[at] !== OPEN_BRACE) return keys;
  const value = createValueScan();
  for (;;) {
    at = skipSpaces(beginning, at + 1);
    const keyEnd = beginning[at] === QUOTE && value.begin(QUOTE) ? value.advance(beginning, at) : -1;
    if (keyEnd === -1) return keys;
    keys.add(textOf(beginning.subarray(at, keyEnd)));
    at = skipSpaces(beginning, keyEnd);
    if (beginning[at] !== COLON) return keys;
    at = skipSpaces(beginning, at + 1);
    const first = beginning[at];
    const end = first !== undefined && value.begin(first) ? value.advance(beginning, at) : -1;
    if (end === -1) return keys;
    at = skipSpaces(beginning, end);
    if (beginning[at] !== COMMA) return keys;
  }
}

function skipSpaces(bytes: Buffer, from: number): number {
  let at = from;
  while (SPACES.has(bytes[at] ?? -1)) at += 1;
  return at;
}

function textOf(quoted: Buffer): string {
  try {
    return String(JSON.parse(quoted.toString()));
  } catch {
    return "";
  }
}
