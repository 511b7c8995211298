import { serviceLimits } from "../../contract/service-limits.ts";
import { createLanguageReader } from "../../core/rules/language.ts";
import { type CountryCode, phoneOf } from "../../core/rules/phone.ts";
import { addTextFault } from "../../core/rules/row-fields.ts";
import type { Remark, RowFault } from "../../problem.ts";
import { phoneLost } from "../shared/options.ts";
import { LOCALE, VERIFIED } from "./options.ts";
import type { Attributes, User } from "./user-row.ts";

/** Both names, which the service requires, and the display name. */
export interface Names {
  readonly firstName: string;
  readonly lastName: string;
  /** undefined: the service makes one of both names. */
  readonly displayName: string | undefined;
  /** The user name stands for both. */
  readonly isByUserName: boolean;
  /** One name stands for both. */
  readonly missing: "first-name-missing" | "last-name-missing" | undefined;
}

/** The names. One stands for both, and for the display name, if the other is missing; without both, the user name. Adds the faults of long names. */
export function readNames(user: Partial<User>, userName: string, faults: RowFault[]): Names {
  const first = readName(user.firstName, "firstName", serviceLimits.firstName, faults);
  const last = readName(user.lastName, "lastName", serviceLimits.lastName, faults);
  const firstName = first ?? last ?? userName;
  const lastName = last ?? firstName;
  // Otherwise the service shows both, and a single word twice.
  const displayName = first === undefined || last === undefined ? firstName : undefined;
  const isByUserName = first === undefined && last === undefined;
  const missing =
    isByUserName || displayName === undefined
      ? undefined
      : first === undefined
        ? "first-name-missing"
        : "last-name-missing";
  return { firstName, lastName, displayName, isByUserName, missing };
}

function readName(value: string | null | undefined, field: string, limit: number, faults: RowFault[]) {
  if (!value?.trim()) return undefined;
  addTextFault(faults, field, value, limit);
  return value;
}

/** The fields of the profile that stand in attributes. */
export interface Profile {
  readonly preferredLanguage: string | undefined;
  readonly phone: string | undefined;
  readonly isPhoneVerified: boolean | undefined;
  /** Names of the attributes that were used with all their values, which are therefore not counted as lost. */
  readonly attributes: ReadonlySet<string>;
}

/** Returns a reader of profiles, which adds a remark for each loss. @param phone the attribute that holds a phone number. @param country of national numbers. */
export function createProfileReader(
  phone: string,
  country?: CountryCode,
): (attributes: Attributes, remarks: Remark[]) => Profile {
  const taken = new Set([LOCALE, phone, VERIFIED]);
  const nothing: Profile = {
    preferredLanguage: undefined,
    phone: undefined,
    isPhoneVerified: undefined,
    attributes: taken,
  };
  const language = createLanguageReader();
  return (attributes, remarks) => {
    if (attributes.size === 0) return nothing;
    const preferred = readAttribute(attributes, LOCALE, language, "language-lost", remarks);
    const number = readAttribute(attributes, phone, (text) => phoneOf(text, country), phoneLost(country), remarks);
    // It is about the first number.
    const isVerified = attributes.get(VERIFIED)?.[0] === "true" && number.isFirst;
    if (number.value !== undefined && !isVerified) remarks.push("phone-unverified");
    const left = [...(preferred.isLeft ? [LOCALE] : []), ...(number.isLeft ? [phone] : [])];
    return {
      preferredLanguage: preferred.value,
      phone: number.value,
      isPhoneVerified: number.value === undefined ? undefined : isVerified,
      attributes: left.length === 0 ? taken : new Set([...taken].filter((name) => !left.includes(name))),
    };
  };
}

/** The first value of an attribute that can be read. */
interface ReadAttribute {
  readonly value: string | undefined;
  readonly isFirst: boolean;
  /** There are others besides it. */
  readonly isLeft: boolean;
}

function readAttribute(
  attributes: Attributes,
  name: string,
  read: (text: string) => string | undefined,
  ifLost: Remark,
  remarks: Remark[],
): ReadAttribute {
  const texts = (attributes.get(name) ?? []).map((text) => text.trim()).filter((text) => text !== "");
  const values = texts.map(read);
  const value = values.find((one) => one !== undefined);
  if (texts.length > 0 && value === undefined) remarks.push(ifLost);
  const isLeft = value !== undefined && values.some((one) => one !== value);
  return { value, isFirst: values[0] === value, isLeft };
}
