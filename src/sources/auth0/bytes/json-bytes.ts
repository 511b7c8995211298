/**
 * A strict reader of JSON as bytes, for rows that are like nearly all others. Each function takes the position of a value and
 * returns the position behind it, or BAIL: not "invalid", but "not for me": a backslash, a control character, a fraction, deep
 * nesting. What it accepts, JSON.parse accepts with the same meaning; whatever it is unsure of goes to JSON.parse.
 * The bytes must be valid UTF-8.
 */
export const BAIL = -1;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MAX_DEPTH = 32;

export function skipSpace(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end) {
    const byte = bytes[at];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) break;
    at += 1;
  }
  return at;
}

/** From the opening quote to behind the closing one; a string with an escape bails. */
export function skipString(bytes: Uint8Array, from: number, end: number): number {
  let at = from + 1;
  while (at < end) {
    const byte = bytes[at] as number;
    at += 1;
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH || byte < 0x20) return BAIL;
  }
  return BAIL;
}

/** Position of the closing quote of the string at `at`; one less than BAIL when none can be read, so that one more is BAIL. */
export function stringEnd(bytes: Uint8Array, at: number, end: number): number {
  const behind = bytes[at] === QUOTE ? skipString(bytes, at, end) : BAIL;
  return behind === BAIL ? BAIL - 1 : behind - 1;
}

/** Any value. */
export function skipValue(bytes: Uint8Array, from: number, end: number, depth = 0): number {
  switch (bytes[from]) {
    case QUOTE:
      return skipString(bytes, from, end);
    case 0x7b: // {
      return depth < MAX_DEPTH ? skipObject(bytes, from, end, depth + 1) : BAIL;
    case 0x5b: // [
      return depth < MAX_DEPTH ? skipArray(bytes, from, end, depth + 1) : BAIL;
    case 0x74: // t
      return isTrue(bytes, from, end) ? from + 4 : BAIL;
    case 0x66: // f
      return isFalse(bytes, from, end) ? from + 5 : BAIL;
    case 0x6e: // n
      return isNull(bytes, from, end) ? from + 4 : BAIL;
    default:
      return skipInteger(bytes, from, end);
  }
}

function skipObject(bytes: Uint8Array, from: number, end: number, depth: number): number {
  let at = skipSpace(bytes, from + 1, end);
  if (bytes[at] === 0x7d) return at < end ? at + 1 : BAIL;
  while (at < end && bytes[at] === QUOTE) {
    at = skipString(bytes, at, end);
    if (at === BAIL) return BAIL;
    at = skipSpace(bytes, at, end);
    if (at >= end || bytes[at] !== 0x3a) return BAIL;
    at = skipSpace(bytes, at + 1, end);
    if (at >= end) return BAIL;
    at = skipValue(bytes, at, end, depth);
    if (at === BAIL) return BAIL;
    at = skipSpace(bytes, at, end);
    if (at >= end) return BAIL;
    if (bytes[at] === 0x7d) return at + 1;
    if (bytes[at] !== 0x2c) return BAIL;
    at = skipSpace(bytes, at + 1, end);
  }
  return BAIL;
}

function skipArray(bytes: Uint8Array, from: number, end: number, depth: number): number {
  let at = skipSpace(bytes, from + 1, end);
  if (bytes[at] === 0x5d) return at < end ? at + 1 : BAIL;
  while (at < end) {
    at = skipValue(bytes, at, end, depth);
    if (at === BAIL) return BAIL;
    at = skipSpace(bytes, at, end);
    if (at >= end) return BAIL;
    if (bytes[at] === 0x5d) return at + 1;
    if (bytes[at] !== 0x2c) return BAIL;
    at = skipSpace(bytes, at + 1, end);
  }
  return BAIL;
}

/** A whole number; a fraction or an exponent bails. */
function skipInteger(bytes: Uint8Array, from: number, end: number): number {
  let at = bytes[from] === 0x2d ? from + 1 : from;
  const first = at;
  while (at < end && isDigit(bytes[at])) at += 1;
  if (at === first || (bytes[first] === 0x30 && at > first + 1)) return BAIL;
  const next = at < end ? bytes[at] : 0x2c;
  return next === 0x2e || next === 0x65 || next === 0x45 ? BAIL : at;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

export function isTrue(bytes: Uint8Array, at: number, end: number): boolean {
  return (
    at + 4 <= end && bytes[at] === 0x74 && bytes[at + 1] === 0x72 && bytes[at + 2] === 0x75 && bytes[at + 3] === 0x65
  );
}

export function isFalse(bytes: Uint8Array, at: number, end: number): boolean {
  return (
    at + 5 <= end &&
    bytes[at] === 0x66 &&
    bytes[at + 1] === 0x61 &&
    bytes[at + 2] === 0x6c &&
    bytes[at + 3] === 0x73 &&
    bytes[at + 4] === 0x65
  );
}

export function isNull(bytes: Uint8Array, at: number, end: number): boolean {
  return (
    at + 4 <= end && bytes[at] === 0x6e && bytes[at + 1] === 0x75 && bytes[at + 2] === 0x6c && bytes[at + 3] === 0x6c
  );
}

/** True when [from, end) is exactly `name`. */
export function isNamed(bytes: Uint8Array, from: number, end: number, name: Uint8Array): boolean {
  if (end - from !== name.length) return false;
  for (let at = 0; at < name.length; at += 1) if (bytes[from + at] !== name[at]) return false;
  return true;
}
