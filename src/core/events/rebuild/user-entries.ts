import { comparedUserFields, isOfProfile } from "../../compared-fields.ts";
import type { RebuiltUser } from "./user-fold.ts";

/** What of a user goes into the document. */
export interface EntryFlags {
  readonly withPasswords: boolean;
  /** With the hashes of recovery codes, which no export of the service has. */
  readonly withOtp: boolean;
}

/** The name and type of an identity provider, as an export has them in links. */
export interface IdpName {
  readonly idpName: string;
  readonly idpType: string | number;
}

/**
 * The type of a provider in links. An export writes the number that the service counts types by into another enum, so that it names
 * OAuth "IDP_TYPE_JWT" and gives most types as numbers (service behaviour 0.63).
 */
export const idpTypes: Readonly<Record<string, string | number>> = {
  PROVIDER_TYPE_OIDC: "IDP_TYPE_OIDC",
  PROVIDER_TYPE_JWT: 2,
  PROVIDER_TYPE_OAUTH: "IDP_TYPE_JWT",
  PROVIDER_TYPE_LDAP: 4,
  PROVIDER_TYPE_AZURE_AD: 5,
  PROVIDER_TYPE_GITHUB: 6,
  PROVIDER_TYPE_GITHUB_ES: 7,
  PROVIDER_TYPE_GITLAB: 8,
  PROVIDER_TYPE_GITLAB_SELF_HOSTED: 9,
  PROVIDER_TYPE_GOOGLE: 10,
  PROVIDER_TYPE_APPLE: 11,
  PROVIDER_TYPE_SAML: 12,
};

const genders = ["", "GENDER_FEMALE", "GENDER_MALE", "GENDER_DIVERSE"] as const;

/** The entry of humanUsers, with the members that an export has and in their order. */
export function humanEntry(userId: string, user: RebuiltUser, { withPasswords, withOtp }: EntryFlags): object {
  const { texts, isEmailVerified, isPhoneVerified, hash, state, recoveryCodes } = user;
  const { userName = "", email, phone } = texts;
  return {
    userId,
    user: {
      userName,
      profile: given(Object.fromEntries(profileFields.map((field) => [field.key, profileValue(field, user)]))),
      ...(email ? { email: { email, ...flag({ isEmailVerified }) } } : {}),
      ...(phone ? { phone: { phone, ...flag({ isPhoneVerified }) } } : {}),
      ...(withPasswords && hash !== "" ? { hashedPassword: { value: hash } } : {}),
      ...(withOtp && recoveryCodes.length > 0 ? { recoveryCodes: recoveryCodes.map((code) => ({ hash: code })) } : {}),
    },
    state: `USER_STATE_${state}`,
  };
}

const profileFields = comparedUserFields
  .filter(isOfProfile)
  .map(({ entry, form, event = "" }) => ({ key: entry.slice(entry.lastIndexOf(".") + 1), form, event }));

/** The service exports a missing language as "und". */
function profileValue(
  { form, event }: (typeof profileFields)[number],
  { texts, gender }: RebuiltUser,
): string | undefined {
  if (form === "gender") return genders[gender];
  return form === "language" ? texts[event] || "und" : texts[event];
}

/** The entry of machineUsers. */
export function machineEntry(userId: string, { texts, state }: RebuiltUser): object {
  const { userName = "", name, description } = texts;
  return { userId, user: { userName, ...given({ name, description }) }, state: `USER_STATE_${state}` };
}

export function metadataEntries(userId: string, { metadata }: RebuiltUser): object[] {
  return [...metadata].map(([key, value]) => ({ id: userId, key, value }));
}

/** The entries of machineKeys. */
export function keyEntries(userId: string, { keys }: RebuiltUser): object[] {
  return keys.map(({ keyId, expirationDate, publicKey }) => ({
    keyId,
    userId,
    type: "KEY_TYPE_JSON",
    ...given({ expirationDate: inUtc(expirationDate) }),
    ...given({ publicKey }),
  }));
}

/** The entries of userLinks; a link to a provider without a name is exported without one. */
export function linkEntries(userId: string, { links }: RebuiltUser, idps: ReadonlyMap<string, IdpName>): object[] {
  return links.map(({ idpId, externalId, externalName }) => {
    const { idpName, idpType } = idps.get(idpId) ?? { idpName: "", idpType: "" };
    return {
      userId,
      idpId,
      ...given({ idpName, providedUserId: externalId, providedUserName: externalName }),
      ...(idpType === "" ? {} : { idpType }),
    };
  });
}

/** A time as the service writes it in JSON: in UTC, without zeros at the end of the fraction. */
export function inUtc(time: string): string {
  const moment = new Date(time);
  if (time.endsWith("Z") || Number.isNaN(moment.getTime())) return time;
  return moment.toISOString().replace(/\.?0*Z$/, "Z");
}

/** The texts that are not empty: the service leaves default values out. */
function given(texts: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).filter((pair): pair is [string, string] => Boolean(pair[1])));
}

function flag(flags: Readonly<Record<string, boolean>>): Record<string, boolean> {
  return Object.fromEntries(Object.entries(flags).filter(([, isSet]) => isSet));
}
