import { domainToASCII } from "node:url";
import { serviceLimits } from "../../contract/service-limits.ts";
import type { EmailRule } from "../../problem.ts";
import { partOfWord, TextScratch } from "../json/words.ts";

const OTHER = 0;
const ATOM = 1;
const HOST = 2;

/** What each byte may be part of. A byte outside ASCII belongs to a letter, and letters may stand in the local part. */
const CLASS = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte >= 0x80) return ATOM;
  const character = String.fromCharCode(byte);
  if (/[A-Za-z0-9-]/.test(character)) return ATOM | HOST;
  return byte > 0x20 && byte < 0x7f && !'()<>[]:;@\\,".'.includes(character) ? ATOM : OTHER;
});
const AT = 0x40;
const DOT = 0x2e;
const HYPHEN = 0x2d;

/**
 * The part of the service's e-mail rule that the address in [start, end), UTF-8, breaks, or undefined when the service takes it: a
 * plain dot-atom local part (ASCII as in RFC 5322, any non-ASCII letter), and an ASCII host name (service behaviour 1.4: Go
 * net/mail and PGV `email`).
 */
export function emailRuleOf(view: DataView, start: number, end: number): EmailRule | undefined {
  const at = atomsEnd(view, start, end);
  if (at === start || at === end || view.getUint8(at) !== AT) return "shape";
  if (at - start > serviceLimits.emailLocalPartBytes) return "local-part-length";
  if (end - start > serviceLimits.emailBytes) return "total-length";
  return isHostName(view, at + 1, end) ? undefined : "domain";
}

const scratch = new TextScratch();

/** As `emailRuleOf`, for an address in a string. */
export function emailProblem(value: string): EmailRule | undefined {
  const length = scratch.put(value);
  return emailRuleOf(scratch.view, 0, length);
}

/** The address with an international domain in punycode, as the service wants it; any other as it is. The mailbox is the same. */
export function toAsciiAddress(value: string): string {
  const at = value.lastIndexOf("@");
  const domain = value.slice(at + 1);
  const isForeign = at > 0 && /[^\p{ASCII}]/u.test(domain);
  return isForeign ? `${value.slice(0, at + 1)}${domainToASCII(domain) || domain}` : value;
}

/** True when every byte is ASCII, so that lower case is the same for bytes and strings. */
export function isAscii(view: DataView, start: number, end: number): boolean {
  let seen = 0;
  let at = start;
  for (; at + 4 <= end; at += 4) seen |= view.getInt32(at, true);
  if (at < end) seen |= partOfWord(view, at, end);
  return (seen & 0x80808080) === 0;
}

/** One past the atoms joined by single dots that begin at `start`, as Go's net/mail reads them; `start` when there are none. */
function atomsEnd(view: DataView, start: number, end: number): number {
  let at = start;
  let previous = DOT;
  while (at < end) {
    const byte = view.getUint8(at);
    if (byte === DOT ? previous === DOT : ((CLASS[byte] as number) & ATOM) === 0) break;
    previous = byte;
    at += 1;
  }
  return previous === DOT ? start : at;
}

/** A host name as PGV takes it: ASCII labels of letters, digits and inner hyphens, 1 to 63 long, 253 together. */
function isHostName(view: DataView, start: number, end: number): boolean {
  if (end - start > serviceLimits.hostNameBytes) return false;
  let label = start;
  for (let at = start; at < end; at += 1) {
    const byte = view.getUint8(at);
    if (byte === DOT) {
      if (!isLabel(view, label, at)) return false;
      label = at + 1;
    } else if (((CLASS[byte] as number) & HOST) === 0) return false;
  }
  return isLabel(view, label, end);
}

function isLabel(view: DataView, start: number, end: number): boolean {
  const length = end - start;
  return (
    length >= 1 &&
    length <= serviceLimits.hostLabelBytes &&
    view.getUint8(start) !== HYPHEN &&
    view.getUint8(end - 1) !== HYPHEN
  );
}
