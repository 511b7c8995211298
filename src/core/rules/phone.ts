import { parsePhoneNumberFromString } from "libphonenumber-js/min";
import { serviceLimits } from "../../contract/service-limits.ts";
import { isLongerThan } from "./text.ts";

/**
 * The phone number in the international form (`+41791234567`), or undefined when the service would not take it: without a plus sign
 * and a country's code it would be read as a Swiss one, and one that cannot be read costs the whole user (service behaviour 0.29).
 */
export function phoneOf(text: string): string | undefined {
  const trimmed = text.trim();
  if (!trimmed.startsWith("+") || isLongerThan(trimmed, serviceLimits.phone)) return undefined;
  return parsePhoneNumberFromString(trimmed)?.number;
}
