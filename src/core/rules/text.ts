import { serviceLimits } from "../../contract/service-limits.ts";
import type { EmailRule } from "../../problem.ts";

/** What is wrong with one text value, ready to be spread into a row problem beside its place and field. */
export type TextFault =
  | { readonly code: "field.missing" }
  | { readonly code: "field.too-long"; readonly limit: number; readonly unit: "characters" | "bytes" }
  | { readonly code: "field.nul" }
  | { readonly code: "field.lone-surrogate" };

/**
 * The service's rule for a required text: 1 to `limit` code points (service behaviour 1.4), and nothing its JSON reader or its
 * database refuses: no NUL, no half of a surrogate pair. Cheap: it runs for every user of a body.
 */
export function textFault(value: string, limit: number): TextFault | undefined {
  return value === "" ? { code: "field.missing" } : optionalTextFault(value, limit);
}

/** As `textFault`, for a text that may be empty. */
export function optionalTextFault(value: string, limit: number): TextFault | undefined {
  if (value.includes("\0")) return { code: "field.nul" };
  if (hasLoneSurrogate(value)) return { code: "field.lone-surrogate" };
  return isLongerThan(value, limit) ? { code: "field.too-long", limit, unit: "characters" } : undefined;
}

/** True when the text has more code points than `limit`; an emoji is one, as the service counts (service behaviour 1.4). */
export function isLongerThan(value: string, limit: number): boolean {
  if (value.length <= limit) return false;
  if (value.length > limit * 2) return true;
  let codePoints = 0;
  for (const _ of value) codePoints += 1;
  return codePoints > limit;
}

/** True when a half of a surrogate pair stands alone, which no UTF-8 text can hold. */
export function hasLoneSurrogate(value: string): boolean {
  return ANY_SURROGATE.test(value) && LONE_SURROGATE.test(value);
}

const ANY_SURROGATE = /[\ud800-\udfff]/;
// With the u flag a whole pair is one character, so only a half matches.
const LONE_SURROGATE = /[\ud800-\udfff]/u;

/**
 * The part of the service's e-mail rule that the address breaks, or undefined when the service takes it: a plain dot-atom local
 * part (ASCII as in RFC 5322, any non-ASCII letter), and an ASCII host name (service behaviour 1.4: Go net/mail and PGV `email`).
 */
export function emailProblem(value: string): EmailRule | undefined {
  const at = value.indexOf("@");
  if (at < 1 || !isDotAtom(value, at)) return "shape";
  if (byteLengthExceeds(value, at, serviceLimits.emailLocalPartBytes)) return "local-part-length";
  if (byteLengthExceeds(value, value.length, serviceLimits.emailBytes)) return "total-length";
  return isHostName(value, at + 1) ? undefined : "domain";
}

/** A host name as PGV takes it: ASCII labels of letters, digits and inner hyphens, 1 to 63 long, 253 together. */
function isHostName(text: string, start: number): boolean {
  const { hostNameBytes, hostLabelBytes } = serviceLimits;
  if (text.length - start > hostNameBytes) return false;
  let labelStart = start;
  for (let at = start; at <= text.length; at += 1) {
    const code = at === text.length ? DOT : text.charCodeAt(at);
    if (code !== DOT) {
      if (!isHostCharacter(code)) return false;
      continue;
    }
    const length = at - labelStart;
    if (length < 1 || length > hostLabelBytes) return false;
    if (text.charCodeAt(labelStart) === HYPHEN || text.charCodeAt(at - 1) === HYPHEN) return false;
    labelStart = at + 1;
  }
  return true;
}

/** True when `text` up to `end` is atoms joined by single dots, as Go's net/mail reads them. */
function isDotAtom(text: string, end: number): boolean {
  let previous = DOT;
  for (let at = 0; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code === DOT ? previous === DOT : !isAtomCharacter(code)) return false;
    previous = code;
  }
  return previous !== DOT;
}

const DOT = 0x2e;
const HYPHEN = 0x2d;
const FORBIDDEN_IN_ATOM = '()<>[]:;@\\,"';

/** One flag per ASCII character: 1 = may stand in an atom. */
const ATOM = Uint8Array.from({ length: 0x80 }, (_, code) =>
  code > 0x20 && code < 0x7f && !FORBIDDEN_IN_ATOM.includes(String.fromCharCode(code)) ? 1 : 0,
);

function isAtomCharacter(code: number): boolean {
  return code >= 0x80 || ATOM[code] === 1;
}

function isHostCharacter(code: number): boolean {
  const lower = code | 0x20;
  return (lower >= 0x61 && lower <= 0x7a) || (code >= 0x30 && code <= 0x39) || code === HYPHEN;
}

/** True when the UTF-8 form of the first `end` characters is longer than `limit` bytes. */
function byteLengthExceeds(text: string, end: number, limit: number): boolean {
  if (end > limit) return true;
  return end * 3 > limit && Buffer.byteLength(text.slice(0, end)) > limit;
}

/** True for a phone number the service takes: 1 to 50 code points, first a plus sign (service behaviour 1.4). */
export function isPhoneNumber(value: string): boolean {
  return value.startsWith("+") && !isLongerThan(value, serviceLimits.phone);
}
