import { camelKey, contentOf } from "../../contract/import-request.ts";

/** Settings of an organization that are one object each; of any other kind they sink the whole call. */
const settings = new Set([
  "org",
  "domainPolicy",
  "iamPolicy",
  "labelPolicy",
  "lockoutPolicy",
  "loginPolicy",
  "passwordComplexityPolicy",
  "privacyPolicy",
]);

/** What is wrong with the form of an element, ready to be spread into a row problem beside its place. */
export type ShapeFault =
  | { readonly code: "element.not-object"; readonly list: string }
  | { readonly code: "element.no-content"; readonly list: string; readonly field: string };

/** What keeps an element of a list from being sent at all; undefined for an object with everything it needs not to do harm. */
export function shapeFault(list: string, element: unknown): ShapeFault | undefined {
  if (!isObject(element)) return { code: "element.not-object", list };
  const field = Object.hasOwn(contentOf, list) ? contentOf[list] : undefined;
  if (field === undefined || holdsObject(element, field)) return undefined;
  return { code: "element.no-content", list, field };
}

/** What is wrong with a setting of an organization; undefined for one that is fine, and for members that are no settings. */
export function settingFault(key: string, value: unknown): ShapeFault | undefined {
  if (!settings.has(key) || value === null || isObject(value)) return undefined;
  return { code: "element.not-object", list: key };
}

/** True for an object that is no list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The service reads both spellings of a name, and a null as if it were not there. */
function holdsObject(element: Readonly<Record<string, unknown>>, field: string): boolean {
  return Object.entries(element).some(([key, value]) => camelKey(key) === field && isObject(value));
}
