import { ParseError, parsePhoneNumberWithError } from "libphonenumber-js/min";

/** A phone number as it is kept, or why there is none: the text that an import gives beside its error. */
export type ReadPhone = { readonly number: string } | { readonly fault: string };

/**
 * Reads a phone number as the service's library does: it takes whatever has a known country and two digits more, letters for the
 * digits they share a key with, and a number without country for a Swiss one (service behaviour 0.29; probed on v4).
 */
export function readPhone(given: string): ReadPhone {
  // What stands before the first digit or plus sign is no part of it.
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
