import { isIP } from "node:net";
import { domainToASCII } from "node:url";
import { serviceLimits } from "../../contract/service-limits.ts";
import { type AddressRule, capabilitiesOf } from "../../contract/versions.ts";
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

/** The e-mail addresses that a version of the service accepts (service behaviour 9.5). */
export interface AddressRules {
  readonly importAddress: AddressRule;
  readonly usersApiAddress: AddressRule;
  /** In code points. */
  readonly addressLength: number;
  /** Called before the fault of an address that other versions accept. */
  readonly onDependent?: () => void;
}

/** True for an address that only some versions accept. */
export function dependsOnVersion(value: string): boolean {
  return mailboxProblem(value) === undefined && emailProblem(value, STRICTEST) !== undefined;
}

/** Of an unknown version, and of a migration. */
const USUAL: AddressRules = capabilitiesOf(undefined);

/** What every known version accepts. */
export const STRICTEST: AddressRules = { ...USUAL, importAddress: "ascii", usersApiAddress: "ascii" };

/** What some known version accepts: of a user who is on an instance already. */
export const LOOSEST: AddressRules = {
  importAddress: "mailbox",
  usersApiAddress: "mailbox",
  addressLength: Number.POSITIVE_INFINITY,
};

/**
 * The part of the e-mail rule of a migration that the address in [start, end), UTF-8, breaks: a plain dot-atom local part (ASCII as in RFC
 * 5322, any other letter), and an ASCII host name (service behaviour 1.4: Go net/mail and PGV `email`).
 */
export function emailRuleOf(view: DataView, start: number, end: number): EmailRule | undefined {
  const at = atomsEnd(view, start, end);
  if (at === start || at === end || view.getUint8(at) !== AT) return "shape";
  if (at - start > serviceLimits.emailLocalPartBytes) return "local-part-length";
  if (end - start > serviceLimits.emailBytes) return "total-length";
  if (!isHostName(view, at + 1, end)) return "domain";
  return end - start > STRICTEST.addressLength ? "length" : undefined;
}

const scratch = new TextScratch();

/** The part of the e-mail rule of the import endpoint that an address breaks; undefined: it is accepted. Default: that of a migration. */
export function emailProblem(value: string, rules = USUAL): EmailRule | undefined {
  return addressProblem(value, rules.importAddress, rules.addressLength);
}

/** As `emailProblem`, for the users API. */
export function usersApiEmailProblem(value: string, rules: AddressRules): EmailRule | undefined {
  return addressProblem(value, rules.usersApiAddress, rules.addressLength);
}

function addressProblem(value: string, rule: AddressRule, length: number): EmailRule | undefined {
  const broken = rule === "mailbox" ? mailboxProblem(value) : hostNameProblem(value, rule === "ascii");
  // `Array.from` counts code points; no text has more of them than units.
  return broken ?? (value.length > length && Array.from(value).length > length ? "length" : undefined);
}

/** The length is judged by its own rule. */
function hostNameProblem(value: string, isAsciiOnly: boolean): EmailRule | undefined {
  const bytes = scratch.put(value); // may replace the view
  const broken = emailRuleOf(scratch.view, 0, bytes);
  if (broken !== undefined && broken !== "length") return broken;
  return isAsciiOnly && !isAscii(scratch.view, 0, bytes) ? "not-ascii" : undefined;
}

const ATOM_TEXT = String.raw`[^\s\p{Cc}()<>[\]:;@\\,".]+`;
const DOT_ATOM = new RegExp(`^${ATOM_TEXT}(?:\\.${ATOM_TEXT})*$`, "u");
const QUOTED = /^"(?:[^"\\\p{Cc}]|\\[ -~])+"$/u;

/** The rule of version 4.8.1 and later (service behaviour 9.5): Go's net/mail, which trims spaces at the ends. */
function mailboxProblem(value: string): EmailRule | undefined {
  const address = value.replace(/^ +| +$/g, "");
  const at = address.lastIndexOf("@");
  const local = address.slice(0, Math.max(at, 0));
  const domain = address.slice(at + 1);
  if (!DOT_ATOM.test(local) && !QUOTED.test(local)) return "shape";
  const literal = /^\[(.*)\]$/.exec(domain)?.[1];
  return DOT_ATOM.test(domain) || (literal !== undefined && isIP(literal) !== 0) ? undefined : "shape";
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
