import { serviceLimits } from "../../contract/service-limits.ts";
import { isTooDeep, MAX_DEPTH } from "../json/value-scan.ts";

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

/**
 * What a spreadsheet leaves of a value that it could not show ("#NV", "#REF!"), of a long number that it shortened ("1,03E+12"), and of
 * a number or an address that it keeps as a text ("'1013", "'ann@example.com"). Names may begin with an apostrophe: 't Hooft, 'Ofa.
 */
export function spreadsheetFault(value: string, isId: boolean): { readonly code: "field.spreadsheet" } | undefined {
  return (value.startsWith("#") && ERROR_VALUE.test(value)) || (isId && DAMAGED_ID.test(value))
    ? { code: "field.spreadsheet" }
    : undefined;
}

const ERROR_VALUE =
  /^#(?:#+|N\/A|NV|REF!|BEZUG!|VALUE!|WERT!|NAME\?|NUM!|ZAHL!|DIV\/0!|NULL!|SPILL!|ÜBERLAUF!|CALC!|KALK!|FIELD!|FELD!)$/i;
const DAMAGED_ID = /^(?:\d[.,]\d*E\+\d{1,3}|'(?:[\d=+@-].*|[^\s@]+@.*))$/i;

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

/** True for a phone number the service takes: 1 to 50 code points, first a plus sign (service behaviour 1.4). */
export function isPhoneNumber(value: string): boolean {
  return value.startsWith("+") && !isLongerThan(value, serviceLimits.phone);
}

/** The fault of a text whose JSON is nested too deep to be read. */
export function depthFault(text: string): { readonly code: "field.too-deep"; readonly limit: number } | undefined {
  return isTooDeep(Buffer.from(text)) ? { code: "field.too-deep", limit: MAX_DEPTH } : undefined;
}
