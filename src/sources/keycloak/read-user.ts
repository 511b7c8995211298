import { serviceLimits } from "../../contract/service-limits.ts";
import type { UserReading } from "../../core/merge/reading.ts";
import type { SourceUser } from "../../core/merge/source-user.ts";
import { readFields } from "../../core/rules/row-fields.ts";
import { textFault } from "../../core/rules/text.ts";
import type { Remark, RowFault } from "../../problem.ts";
import { toIdpLinks } from "../shared/idp-option.ts";
import { chooseMetadata } from "../shared/metadata-option.ts";
import type { Settings } from "../source.ts";
import { type Address, readAddress } from "./address.ts";
import { type CredentialsReading, readCredentials } from "./credentials.ts";
import { mustChangePassword, readLosses } from "./losses.ts";
import type { KeycloakOptions } from "./options.ts";
import { type NamesReading, profileAttributes, readNames, readProfile } from "./profile.ts";
import { User } from "./user-row.ts";

/** Kinds of rows that make the whole file something else, when all of its rows are like that. */
export type Unfit = "service-accounts" | "no-credentials";

const SERVICE_ACCOUNT: UserReading = {
  faults: [],
  user: undefined,
  userId: undefined,
  email: undefined,
  leftOut: "service-account",
  unfit: "service-accounts" satisfies Unfit,
};

/** What was read of a user in whom nothing is wrong. */
interface Parts {
  readonly userId: string;
  readonly userName: string;
  readonly address: Address;
  readonly names: NamesReading["names"];
  readonly credentials: CredentialsReading;
}

/** What reads one user of a realm export: every fault of it, by the service's own rules (service behaviour 1.4). */
export function createReadUser(settings: Settings<KeycloakOptions>): (row: object) => UserReading {
  const toUser = createToUser(settings);
  return (row) => {
    const { fields, faults } = readFields(User, row);
    if (fields.serviceAccountClientId) return SERVICE_ACCOUNT;
    const userId = readText(fields.id, "id", serviceLimits.userId, faults);
    const userName = readText(fields.username, "username", serviceLimits.userName, faults);
    const address = readAddress(fields, userName, settings.emailDomain, faults);
    const { names, isNamedByEmail } = readNames(fields, userName ?? "", faults);
    const credentials = readCredentials(fields.credentials ?? [], faults);
    const { hashField } = credentials;
    const reading = {
      faults,
      userId,
      email: address?.email,
      isNamedByEmail,
      ...(hashField === undefined ? {} : { hashField }),
      ...("credentials" in row ? {} : { unfit: "no-credentials" satisfies Unfit }),
    };
    if (faults.length > 0 || userId === undefined || userName === undefined || address === undefined) {
      return { ...reading, user: undefined };
    }
    return { ...reading, ...toUser(fields, { userId, userName, address, names, credentials }) };
  };
}

type ToUser = (fields: Partial<User>, parts: Parts) => Pick<UserReading, "user" | "remarks">;

function createToUser({ phoneAttribute, metadata: choice, idp }: Settings<KeycloakOptions>): ToUser {
  const taken = profileAttributes(phoneAttribute);
  return (fields, { userId, userName, address, names, credentials: { hash, otpSecret, isOtpLost } }) => {
    const attributes = fields.attributes ?? NONE;
    const { profile, remarks: lostOfProfile } = readProfile(attributes, phoneAttribute);
    const { metadata, isLost, leftOut } = chooseMetadata(attributes, choice);
    const { links, isLost: isLinkLost } = toIdpLinks((fields.federatedIdentities ?? []).map(toIdentity), idp);
    const isPasswordChangeRequired = hash !== undefined && mustChangePassword(fields);
    const isInactive = fields.enabled === false;
    const user: SourceUser = {
      userId,
      userName,
      email: address.email,
      isEmailVerified: address.isVerified,
      ...names,
      ...profile,
      ...(hash === undefined ? {} : { hash }),
      ...(isPasswordChangeRequired ? { isPasswordChangeRequired } : {}),
      ...(otpSecret === undefined ? {} : { otpSecret }),
      ...(links.length === 0 ? {} : { idpLinks: links }),
      ...(metadata.length === 0 ? {} : { metadata }),
      ...(isInactive ? { state: "inactive" as const } : {}),
    };
    const remarks: readonly (Remark | false)[] = [
      ...lostOfProfile,
      isInactive && "stays-inactive",
      address.isMadeUp && "email-made-up",
      isPasswordChangeRequired && "password-change",
      isOtpLost && "otp-lost",
      isLinkLost && "link-lost",
      isLost && "metadata-lost",
      leftOut.some((name) => !taken.has(name)) && "attributes-left-out",
      ...readLosses(fields, hash !== undefined),
    ];
    return { user, remarks: remarks.filter((remark) => remark !== false) };
  };
}

const NONE: ReadonlyMap<string, readonly string[]> = new Map();

type FederatedIdentity = NonNullable<User["federatedIdentities"]>[number];

function toIdentity({ identityProvider, userId, userName }: FederatedIdentity) {
  return { provider: identityProvider ?? undefined, userId: userId ?? undefined, userName: userName ?? undefined };
}

/** A text that must be there; undefined with its fault told. */
function readText(value: string | null | undefined, field: string, limit: number, faults: RowFault[]) {
  if (!value && faults.some((fault) => fault.field === field)) return undefined; // not even a text
  const fault = textFault(value ?? "", limit);
  if (fault !== undefined) faults.push({ ...fault, field });
  return value || undefined;
}
