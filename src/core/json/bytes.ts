import { firstOf, stopsOf } from "./words.ts";

/**
 * A strict reader of JSON as bytes, for ordinary rows. Each function takes the position of a value and returns the position after it, or
 * BAIL. BAIL does not mean "invalid" but "use JSON.parse": a control character, a fraction, deep nesting. JSON.parse accepts all that
 * this reader accepts, with the same meaning.
 * The bytes must be valid UTF-8.
 */
export const BAIL = -1;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const U = 0x75;
/** What may follow a backslash alone: the quote, both slashes, b, f, n, r and t. */
const ESCAPES = Uint8Array.from([0x22, 0x5c, 0x2f, 0x62, 0x66, 0x6e, 0x72, 0x74]);
const MAX_DEPTH = 32;
/** "true", "fals" and "null" as little-endian words. */
const TRUE = 0x65757274;
const FALS = 0x736c6166;
const NULL = 0x6c6c756e;

/** The byte at `at`, or 0, which stands for nothing in JSON, behind the end. */
export function byteAt(view: DataView, at: number, end: number): number {
  return at < end ? view.getUint8(at) : 0;
}

export function skipSpace(view: DataView, from: number, end: number): number {
  let at = from;
  while (at < end) {
    const byte = view.getUint8(at);
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) break;
    at += 1;
  }
  return at;
}

/** From the opening quote to the position after the closing one; a control character bails. */
export function skipAnyString(view: DataView, from: number, end: number): number {
  let at = skipString(view, from, end);
  if (at !== BAIL) return at;
  for (at = from + 1; at < end; at += 1) {
    const byte = view.getUint8(at);
    if (byte === QUOTE) return at + 1;
    if (byte < 0x20) return BAIL;
    if (byte === BACKSLASH) at = escapeEnd(view, at + 1, end);
    if (at === BAIL) return BAIL;
  }
  return BAIL;
}

/** The last byte of the escape whose letter is at `at`, or BAIL when it is none. */
function escapeEnd(view: DataView, at: number, end: number): number {
  const letter = byteAt(view, at, end);
  if (letter !== U) return ESCAPES.includes(letter) ? at : BAIL;
  for (let digit = at + 1; digit <= at + 4; digit += 1) if (!isHexDigit(byteAt(view, digit, end))) return BAIL;
  return at + 4;
}

function isHexDigit(byte: number): boolean {
  const lower = byte | 0x20;
  return isDigit(byte) || (lower >= 0x61 && lower <= 0x66);
}

/** From the opening quote to behind the closing one; a string with an escape bails. */
export function skipString(view: DataView, from: number, end: number): number {
  let at = from + 1;
  for (; at + 4 <= end; at += 4) {
    const stops = stopsOf(view.getInt32(at, true));
    if (stops === 0) continue;
    at += firstOf(stops);
    return view.getUint8(at) === QUOTE ? at + 1 : BAIL;
  }
  while (at < end) {
    const byte = view.getUint8(at);
    at += 1;
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH || byte < 0x20) return BAIL;
  }
  return BAIL;
}

/** Position of the closing quote of the string at `at`; BAIL - 1 when it cannot be read, so that the position behind it is BAIL. */
export function stringEnd(view: DataView, at: number, end: number): number {
  const behind = byteAt(view, at, end) === QUOTE ? skipString(view, at, end) : BAIL;
  return behind === BAIL ? BAIL - 1 : behind - 1;
}

/** Any value. */
export function skipValue(view: DataView, from: number, end: number, depth = 0): number {
  switch (view.getUint8(from)) {
    case QUOTE:
      return skipAnyString(view, from, end);
    case 0x7b: // {
      return depth < MAX_DEPTH ? skipObject(view, from, end, depth + 1) : BAIL;
    case 0x5b: // [
      return depth < MAX_DEPTH ? skipArray(view, from, end, depth + 1) : BAIL;
    case 0x74: // t
      return isTrue(view, from, end) ? from + 4 : BAIL;
    case 0x66: // f
      return isFalse(view, from, end) ? from + 5 : BAIL;
    case 0x6e: // n
      return isNull(view, from, end) ? from + 4 : BAIL;
    default:
      return skipInteger(view, from, end);
  }
}

function skipObject(view: DataView, from: number, end: number, depth: number): number {
  let at = skipSpace(view, from + 1, end);
  if (byteAt(view, at, end) === 0x7d) return at + 1;
  while (at < end && view.getUint8(at) === QUOTE) {
    at = skipAnyString(view, at, end);
    if (at === BAIL) return BAIL;
    at = skipSpace(view, at, end);
    if (byteAt(view, at, end) !== 0x3a) return BAIL;
    at = skipSpace(view, at + 1, end);
    if (at >= end) return BAIL;
    at = skipValue(view, at, end, depth);
    if (at === BAIL) return BAIL;
    at = skipSpace(view, at, end);
    const next = byteAt(view, at, end);
    if (next === 0x7d) return at + 1;
    if (next !== 0x2c) return BAIL;
    at = skipSpace(view, at + 1, end);
  }
  return BAIL;
}

function skipArray(view: DataView, from: number, end: number, depth: number): number {
  let at = skipSpace(view, from + 1, end);
  if (byteAt(view, at, end) === 0x5d) return at + 1;
  while (at < end) {
    at = skipValue(view, at, end, depth);
    if (at === BAIL) return BAIL;
    at = skipSpace(view, at, end);
    const next = byteAt(view, at, end);
    if (next === 0x5d) return at + 1;
    if (next !== 0x2c) return BAIL;
    at = skipSpace(view, at + 1, end);
  }
  return BAIL;
}

/** A whole number; a fraction or an exponent bails. */
export function skipInteger(view: DataView, from: number, end: number): number {
  let at = view.getUint8(from) === 0x2d ? from + 1 : from;
  const first = at;
  while (at < end && isDigit(view.getUint8(at))) at += 1;
  if (at === first || (view.getUint8(first) === 0x30 && at > first + 1)) return BAIL;
  const next = at < end ? view.getUint8(at) : 0x2c;
  return next === 0x2e || next === 0x65 || next === 0x45 ? BAIL : at;
}

export function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

export function isTrue(view: DataView, at: number, end: number): boolean {
  return at + 4 <= end && view.getInt32(at, true) === TRUE;
}

export function isFalse(view: DataView, at: number, end: number): boolean {
  return at + 5 <= end && view.getInt32(at, true) === FALS && view.getUint8(at + 4) === 0x65;
}

export function isNull(view: DataView, at: number, end: number): boolean {
  return at + 4 <= end && view.getInt32(at, true) === NULL;
}
