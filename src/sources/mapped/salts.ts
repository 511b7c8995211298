import { depthFault } from "../../core/rules/text.ts";
import { isEmpty } from "../shared/options.ts";
import { isAbsent, parseJson } from "./cells.ts";

/** A salt as a word of a name, or the end of a word about passwords; in French and Spanish only as a word. */
const SALT =
  /(?<!\p{L})(?:(?:pw|pass(?:w(?:d|or[dt]))?|kennwort|hash|user)?(?:salt|salz)(?:s|e|value|wert)?|sel|sal)(?!\p{L})/iu;

/** The place between two words of a name such as `passwordSalt`. */
const WORDS = /(?<=\p{Ll})(?=\p{Lu})/gu;

/** True for the name of a salt: `pw_salt`, `Passwort-Salz`, `passwordSalt`. */
export function isSaltName(name: string): boolean {
  return SALT.test(name.replaceAll(WORDS, " "));
}

/** True if a value has the name of a salt and holds something, or if another one inside of it does, also in JSON in a text. */
export function hasSalt(name: string, value: unknown): boolean {
  if (isEmpty(value) || (typeof value === "string" && isAbsent(value.trim()))) return false;
  if (isSaltName(name)) return true;
  const inner = typeof value === "string" && /^\s*[[{]/.test(value) && !depthFault(value) ? parseJson(value) : value;
  if (typeof inner !== "object" || inner === null) return false;
  if (Array.isArray(inner)) return inner.some((one) => hasSalt("", one));
  return Object.entries(inner).some(([key, member]) => hasSalt(key, member));
}
