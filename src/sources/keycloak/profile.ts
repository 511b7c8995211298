import { serviceLimits } from "../../contract/service-limits.ts";
import { languageOf } from "../../core/rules/language.ts";
import { phoneOf } from "../../core/rules/phone.ts";
import { textFault } from "../../core/rules/text.ts";
import type { Remark, RowFault } from "../../problem.ts";
import { LOCALE, VERIFIED } from "./options.ts";
import type { Attributes, User } from "./user-row.ts";

/** Both names, which the service needs, and what is shown. */
export interface Names {
  readonly firstName: string;
  readonly lastName: string;
  /** undefined: both of them. */
  readonly displayName: string | undefined;
  /** The user name stands for one that is missing. */
  readonly isByUserName: boolean;
}

/** The names; the user name stands for one that is missing, and what is shown then is what there was. Faults of those too long. */
export function readNames(user: Partial<User>, userName: string, faults: RowFault[]): Names {
  const first = readName(user.firstName, "firstName", serviceLimits.firstName, faults);
  const last = readName(user.lastName, "lastName", serviceLimits.lastName, faults);
  const isByUserName = first === undefined || last === undefined;
  const displayName = isByUserName ? (first ?? last ?? userName) : undefined;
  return { firstName: first ?? userName, lastName: last ?? userName, displayName, isByUserName };
}

function readName(value: string | null | undefined, field: string, limit: number, faults: RowFault[]) {
  if (!value?.trim()) return undefined;
  const fault = textFault(value, limit);
  if (fault !== undefined) faults.push({ ...fault, field });
  return value;
}

/** The fields of the profile that stand in attributes. */
export interface Profile {
  readonly preferredLanguage: string | undefined;
  readonly phone: string | undefined;
  readonly isPhoneVerified: boolean | undefined;
  /** Names of the attributes that were used, which are therefore not counted as lost. */
  readonly attributes: ReadonlySet<string>;
}

/** A realm has a handful of languages, and looking one up takes longer than all else of a user. */
const REMEMBERED_LANGUAGES = 1_000;

/** What reads profiles, and tells what of them is lost. @param phone the attribute that holds a phone number. */
export function createProfileReader(phone: string): (attributes: Attributes, remarks: Remark[]) => Profile {
  const taken = new Set([LOCALE, phone, VERIFIED]);
  const nothing: Profile = {
    preferredLanguage: undefined,
    phone: undefined,
    isPhoneVerified: undefined,
    attributes: taken,
  };
  const languages = new Map<string, string | undefined>();
  const language = (text: string): string | undefined => {
    if (!languages.has(text) && languages.size < REMEMBERED_LANGUAGES) languages.set(text, languageOf(text));
    return languages.has(text) ? languages.get(text) : languageOf(text);
  };
  return (attributes, remarks) => {
    if (attributes.size === 0) return nothing;
    const preferredLanguage = readAttribute(attributes, LOCALE, language, "language-lost", remarks);
    const number = readAttribute(attributes, phone, phoneOf, "phone-lost", remarks);
    const isVerified = attributes.get(VERIFIED)?.[0] === "true";
    if (number !== undefined && !isVerified) remarks.push("phone-unverified");
    const isPhoneVerified = number === undefined ? undefined : isVerified;
    return { preferredLanguage, phone: number, isPhoneVerified, attributes: taken };
  };
}

function readAttribute(
  attributes: Attributes,
  name: string,
  read: (text: string) => string | undefined,
  ifLost: Remark,
  remarks: Remark[],
): string | undefined {
  const text = attributes.get(name)?.[0]?.trim();
  const value = text ? read(text) : undefined;
  if (text && value === undefined) remarks.push(ifLost);
  return value;
}
