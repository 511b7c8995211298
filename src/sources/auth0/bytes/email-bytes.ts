import { serviceLimits } from "../../../contract/service-limits.ts";
import { byteAt } from "../../../core/json/bytes.ts";
import { partOfWord } from "../../../core/json/words.ts";

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
export function isPlainEmail(view: DataView, start: number, end: number): boolean {
  if (end - start > serviceLimits.userName) return false;
  const at = atomsEnd(view, start, end);
  if (at === start || at - start > serviceLimits.emailLocalPartBytes || byteAt(view, at, end) !== AT) return false;
  return isHost(view, at + 1, end);
}

/** True when every byte is ASCII, so that lower case is the same for bytes and strings. */
export function isAsciiAddress(view: DataView, start: number, end: number): boolean {
  let seen = 0;
  let at = start;
  for (; at + 4 <= end; at += 4) seen |= view.getInt32(at, true);
  if (at < end) seen |= partOfWord(view, at, end);
  return (seen & 0x80808080) === 0;
}

/** One past the atoms joined by single dots that begin at `start`. */
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

function isHost(view: DataView, start: number, end: number): boolean {
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
