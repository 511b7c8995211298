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
    const found = typeof step === "number" ? elementOf(text, at, step) : memberOf(text, at, step)?.value;
    if (found === undefined) return at;
    at = found;
  }
  return at;
}

/** Where the key at the end of `path` begins. */
export function keyPositionOf(text: string, path: readonly Step[]): number {
  const at = positionOf(text, path.slice(0, -1));
  return memberOf(text, at, String(path.at(-1)))?.key ?? at;
}

/** The token at a position, as the service quotes it: a whole string or number, or one bracket. */
export function tokenAt(text: string, at: number): string {
  const first = text.charAt(at);
  return text.slice(at, skip(text, at, first === '"' ? STRING : ATOM)) || first;
}

/** The byte where the string begins that holds the first sequence which is no UTF-8. The body is JSON but for that. */
export function invalidStringAt(body: Uint8Array): number {
  // Decoded with replacement characters, everything before the first of them is as it was.
  const good = Buffer.byteLength(
    new TextDecoder("utf-8", { ignoreBOM: true }).decode(body).split("\ufffd", 1)[0] ?? "",
  );
  let start = 0;
  for (let at = 0; at < good; ) {
    if (body[at] !== 0x22) at += 1;
    else {
      start = at;
      at += 1;
      while (at < good && body[at] !== 0x22) at += body[at] === 0x5c ? 2 : 1;
      at += 1;
    }
  }
  return start;
}

function memberOf(text: string, start: number, key: string): { key: number; value: number } | undefined {
  let found: { key: number; value: number } | undefined;
  let at = skip(text, start + 1, SPACE);
  while (at < text.length && text.charAt(at) !== "}") {
    const end = skip(text, at, STRING);
    const name: unknown = JSON.parse(text.slice(at, end));
    const value = skip(text, end, SPACE);
    if (name === key) found = { key: at, value }; // of one key given twice, the last counts
    at = value;
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
