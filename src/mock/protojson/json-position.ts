/** A step into a JSON document: a key or an index. */
export type Step = string | number;

/** `line:column`, both from 1, of a character of a text. */
export function lineColumn(text: string, at: number): string {
  const before = text.slice(0, at);
  const lines = before.split("\n");
  return `${lines.length}:${(lines.at(-1) as string).length + 1}`;
}

const SPACE = /[\s,:]*/y;
const STRING = /"(?:[^"\\]+|\\.)*"/y;
const ATOM = /[^\s,:[\]{}"]+/y;

/**
 * Where the value at `path` begins in a document that is known to be valid JSON. Used only to name the place of a fault, so that
 * decoding itself need not keep positions.
 */
export function positionOf(text: string, path: readonly Step[]): number {
  let at = skip(text, 0, SPACE);
  for (const step of path) {
    const found = typeof step === "number" ? elementOf(text, at, step) : memberOf(text, at, step);
    if (found === undefined) return at;
    at = found;
  }
  return at;
}

/** The token at a position, as the service quotes it: a whole string or number, or one bracket. */
export function tokenAt(text: string, at: number): string {
  const first = text.charAt(at);
  return text.slice(at, skip(text, at, first === '"' ? STRING : ATOM)) || first;
}

function memberOf(text: string, start: number, key: string): number | undefined {
  let found: number | undefined;
  let at = skip(text, start + 1, SPACE);
  while (at < text.length && text.charAt(at) !== "}") {
    const end = skip(text, at, STRING);
    const name: unknown = JSON.parse(text.slice(at, end));
    at = skip(text, end, SPACE);
    if (name === key) found = at; // of one key given twice, the last counts
    at = skip(text, endOf(text, at), SPACE);
  }
  return found;
}

function elementOf(text: string, start: number, index: number): number | undefined {
  let at = skip(text, start + 1, SPACE);
  for (let seen = 0; at < text.length && text.charAt(at) !== "]"; seen += 1) {
    if (seen === index) return at;
    at = skip(text, endOf(text, at), SPACE);
  }
  return undefined;
}

/** The position after the value that begins at `start`. */
function endOf(text: string, start: number): number {
  let depth = 0;
  let at = start;
  do {
    const first = text.charAt(at);
    if (first === "{" || first === "[") depth += 1;
    if (first === "}" || first === "]") depth -= 1;
    at = "{}[]".includes(first) ? at + 1 : skip(text, at, first === '"' ? STRING : ATOM);
    if (depth > 0) at = skip(text, at, SPACE);
  } while (depth > 0 && at < text.length);
  return at;
}

function skip(text: string, at: number, pattern: RegExp): number {
  pattern.lastIndex = at;
  pattern.test(text);
  return Math.max(pattern.lastIndex, at);
}
