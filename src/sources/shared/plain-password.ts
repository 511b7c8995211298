import { readOtherHash } from "../../core/rules/hash-forms.ts";
import type { PasswordRule } from "../../problem.ts";

/** bcrypt ignores the rest of a password, and the service refuses to rehash a longer one at a sign-in (service behaviour 0.24). */
const MAX_BYTES = 72;

/** What databases and people write in a cell without a password; as a password, it could be guessed. */
const WORDS =
  "null|nil|none|undefined|nan|n\\.?/?a\\.?|k\\.?\\s?a\\.?|empty|blank|hidden|masked|redacted|removed|secret|protected|encrypted|unset|not set|no password|leer|keine?s?|kein passwort|nicht gesetzt";

/** One of these words, also in brackets, or a mask: one sign many times. */
const PLACEHOLDER = new RegExp(
  `^(?:|\\\\n|[([{<]\\s?(?:${WORDS})\\s?[)\\]}>]|${WORDS}|([^\\p{L}\\p{N}])\\1*|[-–—.? ]+|x+)$`,
  "iu",
);

/** True for a text that stands where no password is. */
export function isPasswordPlaceholder(text: string): boolean {
  return PLACEHOLDER.test(text.trim());
}

/** The rule by which a text is no password; undefined for a password. */
export function plainPasswordFault(text: string): PasswordRule | undefined {
  if (text.includes("\0")) return "nul";
  if (Buffer.byteLength(text) > MAX_BYTES) return "too-long";
  // With a hash in place of a password, the user would have to type the hash.
  return isHashLike(text) ? "hash" : undefined;
}

function isHashLike(text: string): boolean {
  const reading = /^[$*{]|^[\w-]+[$:]|^[0-9a-f]{32,}$|^A[A-Za-z0-9+/]{40,}/i.test(text)
    ? readOtherHash(text)
    : undefined;
  return reading !== undefined && !(reading.kind === "none" || (reading.kind === "bad" && reading.rule === "plain"));
}
