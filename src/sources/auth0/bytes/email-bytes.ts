import { serviceLimits } from "../../../contract/service-limits.ts";

const OTHER = 0;
const ATOM = 1;
const HOST = 2;

/** What each byte may be part of; bytes outside ASCII are part of nothing here. */
const CLASS = Uint8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  if (/[A-Za-z0-9-]/.test(character)) return ATOM | HOST;
  return byte > 0x20 && byte < 0x7f && !'()<>[]:;@\\,".'.includes(character) ? ATOM : OTHER;
});
const AT = 0x40;
const DOT = 0x2e;
const HYPHEN = 0x2d;

/**
 * True for an address in ASCII that the service is sure to take, by the same rule as `emailProblem` (service behaviour 1.4).
 * False means only that somebody else must look.
 */
export function isPlainEmail(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start > serviceLimits.userName) return false;
  const at = atomsEnd(bytes, start, end);
  if (at === start || at - start > serviceLimits.emailLocalPartBytes || bytes[at] !== AT) return false;
  return isHost(bytes, at + 1, end);
}

/** True when every byte is ASCII, so that lower case is the same for bytes and strings. */
export function isAsciiAddress(bytes: Uint8Array, start: number, end: number): boolean {
  let seen = 0;
  for (let at = start; at < end; at += 1) seen |= bytes[at] as number;
  return seen < 0x80;
}

/** One past the atoms joined by single dots that begin at `start`. */
function atomsEnd(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  let previous = DOT;
  while (at < end) {
    const byte = bytes[at] as number;
    if (byte === DOT ? previous === DOT : ((CLASS[byte] as number) & ATOM) === 0) break;
    previous = byte;
    at += 1;
  }
  return previous === DOT ? start : at;
}

function isHost(bytes: Uint8Array, start: number, end: number): boolean {
  let label = start;
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] as number;
    if (byte === DOT) {
      if (!isLabel(bytes, label, at)) return false;
      label = at + 1;
    } else if (((CLASS[byte] as number) & HOST) === 0) return false;
  }
  return isLabel(bytes, label, end);
}

function isLabel(bytes: Uint8Array, start: number, end: number): boolean {
  const length = end - start;
  return length >= 1 && length <= serviceLimits.hostLabelBytes && bytes[start] !== HYPHEN && bytes[end - 1] !== HYPHEN;
}
