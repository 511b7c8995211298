import { ParseError, parsePhoneNumberWithError } from "libphonenumber-js/min";

/** A normalized phone number, or the text that an import adds to its error. */
export type ReadPhone = { readonly number: string } | { readonly fault: string };

/**
 * Parses a phone number as the service's library does: it accepts any number with a known country and two more digits, reads letters
 * as the digits on their key, and a number without a country as Swiss (service behaviour 0.29; probed on v4).
 */
export function readPhone(given: string): ReadPhone {
  // Characters before the first digit or plus sign are ignored.
  const bare = given.replace(/^[^+\d]+/, "").replace(/\s*ext(?:ensi[oó]n|n)?\.?\s*\d+$/i, "");
  const letters = bare.match(/[a-z]/gi) ?? [];
  const keyed = letters.length < 3 ? bare : bare.replace(/[a-z]/gi, keyOf);
  try {
    return { number: parsePhoneNumberWithError(keyed, { defaultCountry: "CH" }).number };
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    return { fault: faultOf(error.message, bare.replace(/\D/g, "").length) };
  }
}

function keyOf(letter: string): string {
  const keys = ["abc", "def", "ghi", "jkl", "mno", "pqrs", "tuv", "wxyz"];
  return String(keys.findIndex((key) => key.includes(letter.toLowerCase())) + 2);
}

function faultOf(reason: string, digits: number): string {
  if (reason === "INVALID_COUNTRY") return "invalid country code";
  if (reason === "TOO_LONG") return "The string supplied was too long to be a phone number.";
  return digits < 2
    ? "The phone number supplied was empty."
    : "Phone number had an IDD, but after this was not long enough to be a viable phone number.";
}
