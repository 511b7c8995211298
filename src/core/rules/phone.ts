import { type CountryCode, parsePhoneNumberFromString } from "libphonenumber-js/min";
import { serviceLimits } from "../../contract/service-limits.ts";
import { isLongerThan } from "./text.ts";

export type { CountryCode };

/**
 * The phone number in the international form (`+41791234567`), or undefined when the service would not take it: without a plus sign
 * and a country's code it would be read as a Swiss one, and one that cannot be read costs the whole user (service behaviour 0.29).
 * `country` is that of numbers without a code; such a number must be valid there, and not also as an international one without its plus sign.
 */
export function phoneOf(text: string, country?: CountryCode): string | undefined {
  const trimmed = text.trim();
  const isNational = !trimmed.startsWith("+");
  if ((isNational && country === undefined) || isLongerThan(trimmed, serviceLimits.phone)) return undefined;
  const phone = parsePhoneNumberFromString(trimmed, isNational ? country : undefined);
  if (!isNational) return phone?.number;
  return phone?.isValid() === true && !isAmbiguous(trimmed, phone.number) ? phone.number : undefined;
}

/** `49 171 1234567` in Germany: a number there, and another one if the plus sign was lost. */
function isAmbiguous(text: string, number: string): boolean {
  const international = parsePhoneNumberFromString(`+${text}`);
  return international?.isValid() === true && international.number !== number;
}
