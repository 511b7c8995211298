import { serviceLimits } from "../../contract/service-limits.ts";
import type { SourceUser } from "../../core/merge/source-user.ts";
import { languageOf } from "../../core/rules/language.ts";
import { phoneOf } from "../../core/rules/phone.ts";
import { textFault } from "../../core/rules/text.ts";
import type { Remark, RowFault } from "../../problem.ts";
import type { Attributes, User } from "./user-row.ts";

/** The attribute that says whether a phone number was verified, by Keycloak's own claim of that name. */
const VERIFIED = "phoneNumberVerified";
const LOCALE = "locale";

export interface NamesReading {
  readonly names: Pick<SourceUser, "firstName" | "lastName" | "displayName">;
  /** The user name stands for one that is missing. */
  readonly isNamedByEmail: boolean;
}

/**
 * Both names, which the service needs: the user name stands for one that is missing, and what is shown is what there was. Faults of
 * names that the service would refuse.
 */
export function readNames(user: Partial<User>, userName: string, faults: RowFault[]): NamesReading {
  const first = readName(user.firstName, "firstName", serviceLimits.firstName, faults);
  const last = readName(user.lastName, "lastName", serviceLimits.lastName, faults);
  if (first !== undefined && last !== undefined) {
    return { names: { firstName: first, lastName: last }, isNamedByEmail: false };
  }
  const displayName = first ?? last ?? userName;
  return { names: { firstName: first ?? userName, lastName: last ?? userName, displayName }, isNamedByEmail: true };
}

function readName(value: string | null | undefined, field: string, limit: number, faults: RowFault[]) {
  if (!value?.trim()) return undefined;
  const fault = textFault(value, limit);
  if (fault !== undefined) faults.push({ ...fault, field });
  return value;
}

/** What of the profile stands in attributes. @param phone the attribute that holds a phone number. */
export function readProfile(
  attributes: Attributes,
  phone: string,
): { readonly profile: Partial<SourceUser>; readonly remarks: readonly Remark[] } {
  const remarks: Remark[] = [];
  const language = readAttribute(attributes, LOCALE, languageOf);
  if (language.isLost) remarks.push("language-lost");
  const number = readAttribute(attributes, phone, phoneOf);
  const isPhoneVerified = attributes.get(VERIFIED)?.[0] === "true";
  if (number.isLost) remarks.push("phone-lost");
  else if (number.value !== undefined && !isPhoneVerified) remarks.push("phone-unverified");
  return {
    profile: {
      ...(language.value === undefined ? {} : { preferredLanguage: language.value }),
      ...(number.value === undefined ? {} : { phone: number.value, isPhoneVerified }),
    },
    remarks,
  };
}

function readAttribute(attributes: Attributes, name: string, read: (text: string) => string | undefined) {
  const text = attributes.get(name)?.[0]?.trim();
  const value = text ? read(text) : undefined;
  return { value, isLost: text !== undefined && text !== "" && value === undefined };
}

/** Names of attributes that the profile takes up, so that nobody is told they were left out. */
export function profileAttributes(phone: string): ReadonlySet<string> {
  return new Set([LOCALE, phone, VERIFIED]);
}
