/** What stands at the front of a request body, read byte by byte as Go's encoding/json does. */
export type FirstValue =
  | { readonly is: "nothing" }
  /** `end`: the byte after the value; whatever follows is not looked at (service behaviour 0.10). */
  | { readonly is: "value"; readonly end: number }
  | { readonly is: "broken"; readonly message: string };

/** What the next byte has to be. */
type Expected = "value" | "key" | "key or }" | "colon" | "comma or }" | "comma or ]" | "value or ]";

const SPACES = new Set([0x20, 0x09, 0x0a, 0x0d]);
const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d];
const [MINUS, PLUS, DOT, ZERO, U] = [0x2d, 0x2b, 0x2e, 0x30, 0x75];

/**
 * Finds the end of the first JSON value, or says in Go's words what breaks it: the gateway reads a body before it asks who is
 * calling, and stops after one value (service behaviour 0.8, 0.10).
 */
export function firstValue(bytes: Uint8Array): FirstValue {
  try {
    return scan(bytes);
  } catch (error) {
    if (error instanceof Broken) return { is: "broken", message: error.message };
    throw error;
  }
}

class Broken extends Error {}

function scan(bytes: Uint8Array): FirstValue {
  const open: number[] = [];
  let expected: Expected = "value";
  let at = 0;
  for (;;) {
    while (at < bytes.length && SPACES.has(bytes[at] as number)) at += 1;
    if (at >= bytes.length) {
      if (open.length === 0) return { is: "nothing" };
      throw new Broken("unexpected EOF");
    }
    const byte = bytes[at] as number;
    const closes = closing(byte, expected);
    if (closes) open.pop();
    if (closes || (expected !== "value" && expected !== "value or ]")) {
      at = closes ? at + 1 : afterPunctuation(bytes, at, expected);
      if (!closes) {
        expected = afterToken(expected, open);
        continue;
      }
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      open.push(byte);
      expected = byte === OPEN_BRACE ? "key or }" : "value or ]";
      at += 1;
      continue;
    } else at = afterAtom(bytes, at);
    if (open.length === 0) return { is: "value", end: at };
    expected = open.at(-1) === OPEN_BRACE ? "comma or }" : "comma or ]";
  }
}

function closing(byte: number, expected: Expected): boolean {
  if (byte === CLOSE_BRACE) return expected === "key or }" || expected === "comma or }";
  return byte === CLOSE_BRACKET && (expected === "value or ]" || expected === "comma or ]");
}

/** Passes a key, a colon or a comma. */
function afterPunctuation(bytes: Uint8Array, at: number, expected: Expected): number {
  const byte = bytes[at] as number;
  switch (expected) {
    case "key":
    case "key or }":
      if (byte !== QUOTE) throw unexpected(byte, "looking for beginning of object key string");
      return afterString(bytes, at);
    case "colon":
      if (byte !== COLON) throw unexpected(byte, "after object key");
      return at + 1;
    case "comma or }":
      if (byte !== COMMA) throw unexpected(byte, "after object key:value pair");
      return at + 1;
    default:
      if (byte !== COMMA) throw unexpected(byte, "after array element");
      return at + 1;
  }
}

function afterToken(expected: Expected, open: readonly number[]): Expected {
  if (expected === "key" || expected === "key or }") return "colon";
  return expected === "colon" || open.at(-1) === OPEN_BRACKET ? "value" : "key";
}

function afterAtom(bytes: Uint8Array, at: number): number {
  const byte = bytes[at] as number;
  if (byte === QUOTE) return afterString(bytes, at);
  for (const word of ["true", "false", "null"]) {
    if (byte === word.charCodeAt(0)) return afterWord(bytes, at, word);
  }
  if (byte === MINUS || isDigit(byte)) return afterNumber(bytes, at);
  throw unexpected(byte, "looking for beginning of value");
}

function afterWord(bytes: Uint8Array, at: number, word: string): number {
  for (let index = 1; index < word.length; index += 1) {
    const byte = needed(bytes, at + index);
    if (byte !== word.charCodeAt(index)) throw unexpected(byte, `in literal ${word} (expecting '${word[index]}')`);
  }
  return at + word.length;
}

function afterString(bytes: Uint8Array, start: number): number {
  for (let at = start + 1; ; at += 1) {
    const byte = needed(bytes, at);
    if (byte === QUOTE) return at + 1;
    if (byte < 0x20) throw unexpected(byte, "in string literal");
    if (byte !== BACKSLASH) continue;
    at += 1;
    const letter = needed(bytes, at);
    if (letter !== U && !'"\\/bfnrt'.includes(String.fromCharCode(letter))) {
      throw unexpected(letter, "in string escape code");
    }
    for (const end = letter === U ? at + 4 : at; at < end; ) {
      at += 1;
      const digit = needed(bytes, at);
      if (!/[\da-f]/i.test(String.fromCharCode(digit))) throw unexpected(digit, "in \\u hexadecimal character escape");
    }
  }
}

function afterNumber(bytes: Uint8Array, start: number): number {
  let at = bytes[start] === MINUS ? start + 1 : start;
  if (bytes[at] === ZERO) at += 1;
  else at = afterDigits(bytes, at, "in numeric literal");
  if (bytes[at] === DOT) at = afterDigits(bytes, at + 1, "after decimal point in numeric literal");
  if (bytes[at] !== 0x65 && bytes[at] !== 0x45) return at;
  at += 1;
  if (bytes[at] === PLUS || bytes[at] === MINUS) at += 1;
  return afterDigits(bytes, at, "in exponent of numeric literal");
}

/** At least one digit. */
function afterDigits(bytes: Uint8Array, start: number, where: string): number {
  const first = needed(bytes, start);
  if (!isDigit(first)) throw unexpected(first, where);
  let at = start;
  while (at < bytes.length && isDigit(bytes[at] as number)) at += 1;
  return at;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= 0x39;
}

function needed(bytes: Uint8Array, at: number): number {
  const byte = bytes[at];
  if (byte === undefined) throw new Broken("unexpected EOF");
  return byte;
}

function unexpected(byte: number, where: string): Broken {
  return new Broken(`invalid character ${quoted(byte)} ${where}`);
}

const short: Readonly<Record<number, string>> = {
  7: "\\a",
  8: "\\b",
  9: "\\t",
  10: "\\n",
  11: "\\v",
  12: "\\f",
  13: "\\r",
};

/** One byte, taken for a code point, as Go prints it. */
function quoted(byte: number): string {
  const character = String.fromCharCode(byte);
  if (character === "'") return "'\\''";
  if (character === "\\") return "'\\\\'";
  if (byte < 0x20 || byte === 0x7f) return `'${short[byte] ?? `\\x${byte.toString(16).padStart(2, "0")}`}'`;
  return (byte >= 0x80 && byte < 0xa0) || byte === 0xad ? `'\\u00${byte.toString(16)}'` : `'${character}'`;
}
