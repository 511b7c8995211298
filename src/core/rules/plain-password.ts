import type { PasswordRule } from "../../problem.ts";
import { readOtherHash } from "./hash-forms.ts";

/** bcrypt sees no more of a password, and the service refuses to hash a longer one anew at the sign-in (service behaviour 0.24). */
const MAX_BYTES = 72;

/** What keeps a text from being taken for a password; undefined when nothing does. */
export function plainPasswordFault(text: string): PasswordRule | undefined {
  if (text.includes("\0")) return "nul";
  if (Buffer.byteLength(text) > MAX_BYTES) return "too-long";
  // Of a hash nobody could sign in with but by typing it.
  return isHashLike(text) ? "hash" : undefined;
}

function isHashLike(text: string): boolean {
  const reading = /^[$*{]|^[\w-]+[$:]|^[0-9a-f]{32,}$|^A[A-Za-z0-9+/]{40,}/i.test(text)
    ? readOtherHash(text)
    : undefined;
  return reading !== undefined && !(reading.kind === "none" || (reading.kind === "bad" && reading.rule === "plain"));
}
