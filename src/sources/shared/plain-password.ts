import { readOtherHash } from "../../core/rules/hash-forms.ts";
import type { PasswordRule } from "../../problem.ts";

/** bcrypt ignores the rest of a password, and the service refuses to rehash a longer one at a sign-in (service behaviour 0.24). */
const MAX_BYTES = 72;

/** What databases and people write in a cell without a password; as a password, it could be guessed. */
const WORDS =
  "null|nil|none|undefined|nan|n\\.?/?a\\.?|k\\.?\\s?a\\.?|empty|blank|hidden|masked|redacted|removed|protected|encrypted|unset|not set|no password|leer|keine?s?|kein passwort|nicht gesetzt|versteckt|unbekannt|unknown";

/** One of these words, or any word, in brackets, or a mask: one sign many times. */
const PLACEHOLDER = new RegExp(
  `^(?:[([{<]\\s?(?:\\p{L}+|${WORDS})\\s?[)\\]}>]|${WORDS}|([^\\p{L}\\p{N}])\\1*|[-–—.? ]+|x+)$`,
  "iu",
);

/** What a text is that stands where no password is: empty, as databases write it, or words or a mask of people; undefined for another one. */
export function placeholderOf(text: string): "empty" | "words" | undefined {
  const trimmed = text.trim();
  if (/^(?:|\\n|null)$/i.test(trimmed)) return "empty";
  return PLACEHOLDER.test(trimmed) ? "words" : undefined;
}

/** The rule by which a text is no password; undefined for a password. */
export function plainPasswordFault(text: string): PasswordRule | undefined {
  if (text.includes("\0")) return "nul";
  if (Buffer.byteLength(text) > MAX_BYTES) return "too-long";
  // With a hash in place of a password, the user would have to type the hash.
  return isHashLike(text) ? "hash" : undefined;
}

/** How hashes of known forms begin. No person's password does. */
const BEGINNING =
  /^(?:\$(?:2[abxy]?|argon2(?:id?|d)|pbkdf2[\w-]*|scrypt|[1567PHSy]|md5[\w-]*|sha\d+)\$|\{(?:S?SHA|S?MD5|CRYPT|BCRYPT|ARGON2|PBKDF2)[\w-]*\}|(?:pbkdf2_\w+|bcrypt(?:_sha256)?|argon2|scrypt)\$)/i;

/** True for a text that begins as a hash of a known form, also a broken one. */
export function beginsLikeHash(text: string): boolean {
  return BEGINNING.test(text);
}

/** True for a text that is a hash in any column. Hexadecimal digits alone may be an id. */
export function looksLikeHash(text: string): boolean {
  return isHashLike(text) && !/^[0-9a-f]+$/i.test(text);
}

function isHashLike(text: string): boolean {
  if (beginsLikeHash(text)) return true;
  const reading = /^[$*{]|^[\w-]+[$:]|^[0-9a-f]{32,}$|^A[A-Za-z0-9+/]{40,}/i.test(text)
    ? readOtherHash(text)
    : undefined;
  return reading !== undefined && !(reading.kind === "none" || (reading.kind === "bad" && reading.rule === "plain"));
}
