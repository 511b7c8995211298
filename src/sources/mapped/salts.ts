import { depthFault } from "../../core/rules/text.ts";
import { isEmpty } from "../shared/options.ts";
import { isAbsent, parseJson } from "./cells.ts";

/**
 * A salt as a word of a name, or the end of a word about passwords; in French and Spanish only as a word. A pepper is none, and a hash
 * that was made with one is as useless without it. The seed of one-time codes is none either.
 */
const SALT =
  /(?<!\p{L})(?:(?:pwd?|pass(?:w(?:d|or[dt]))?|kennwort|hash|user)?(?:salt(?:ed)?|salz|streuwert|(?<!(?:otp|2fa|mfa)\P{L}*)seed|pepper|pfeffer)(?:s|e|value|wert)?|sel|sal)(?!\p{L})/iu;

/** The place between two words of a name such as `passwordSalt`. */
const WORDS = /(?<=\p{Ll})(?=\p{Lu})/gu;

/** True for the name of a salt: `pw_salt`, `Passwort-Salz`, `passwordSalt`. */
export function isSaltName(name: string): boolean {
  return SALT.test(name.replaceAll(WORDS, " "));
}

/**
 * True if a value has the name of a salt and holds something, or if another one inside of it does, also in JSON in a text.
 * @param hash the hash itself, whose name may be that of a salt: `salted_hash`, `Streuwert`.
 */
export function hasSalt(name: string, value: unknown, hash: string): boolean {
  if (isEmpty(value) || (typeof value === "string" && (isAbsent(value.trim()) || value.trim() === hash))) return false;
  if (isSaltName(name)) return true;
  const inner = typeof value === "string" && /^\s*[[{]/.test(value) && !depthFault(value) ? parseJson(value) : value;
  if (typeof inner !== "object" || inner === null) return false;
  if (Array.isArray(inner)) return inner.some((one) => hasSalt("", one, hash));
  return Object.entries(inner).some(([key, member]) => hasSalt(key, member, hash));
}
