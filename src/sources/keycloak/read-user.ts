import { serviceLimits } from "../../contract/service-limits.ts";
import type { UserReading } from "../../core/merge/reading.ts";
import type { SourceUser } from "../../core/merge/source-user.ts";
import { addTextFault, readFields } from "../../core/rules/row-fields.ts";
import type { Remark, RowFault } from "../../problem.ts";
import { type Address, readAddress } from "../shared/address.ts";
import type { Granter } from "../shared/grants.ts";
import { chooseMetadata, type Identity, toIdpLinks } from "../shared/options.ts";
import type { Settings } from "../source.ts";
import { createOpenCredential } from "./credential.ts";
import { type CredentialsReading, readCredentials } from "./credentials.ts";
import { addLosses, mustChangePassword } from "./losses.ts";
import type { KeycloakOptions } from "./options.ts";
import type { RealmOrgs } from "./orgs.ts";
import { createProfileReader, type Names, readNames } from "./profile.ts";
import type { RealmRoles } from "./roles.ts";
import { NO_ATTRIBUTES, type RawUser, User } from "./user-row.ts";

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

/** What the realm says about its users. */
export interface RealmContext {
  readonly granter: Granter;
  readonly realmRoles: RealmRoles;
  readonly realmOrgs: RealmOrgs;
}

/** The parts of a user without faults. */
interface Parts {
  readonly raw: RawUser;
  readonly userId: string;
  readonly userName: string;
  readonly address: Address;
  readonly names: Names;
  readonly credentials: CredentialsReading;
}

const ADDRESS_FIELDS = { email: "email", userName: "username", userId: "id" };

/** What reads one user of a realm export: every fault of it, by the service's own rules (service behaviour 1.4). */
export function createReadUser(
  settings: Settings<KeycloakOptions>,
  { granter, realmRoles, realmOrgs }: RealmContext,
): (row: object) => UserReading {
  const { orgBy } = settings;
  const toUser = createToUser(settings);
  const open = createOpenCredential();
  return (row) => {
    const raw = row as RawUser; // an object by its type
    if (raw["serviceAccountClientId"]) return SERVICE_ACCOUNT;
    const { fields, faults } = readFields(User, row);
    const userId = readText(fields.id, "id", serviceLimits.userId, faults);
    const userName = readText(fields.username, "username", serviceLimits.userName, faults);
    const { email, emailVerified } = fields;
    const account = { email: email ?? undefined, isVerified: emailVerified === true, userName, fields: ADDRESS_FIELDS };
    const address = readAddress(account, settings.emailDomain, faults);
    const names = readNames(fields, userName ?? "", faults);
    const credentials = readCredentials(fields.credentials ?? [], open, faults);
    const isWhole = faults.length === 0 && userId !== undefined && userName !== undefined && address !== undefined;
    const remarks: Remark[] = [];
    const notes: Notes = { remarks, fields: [], providers: [], metadata: [] };
    const person = isWhole ? toUser(fields, { raw, userId, userName, address, names, credentials }, notes) : undefined;
    const { grants, left: roles } = granter.read(realmRoles.of(raw), remarks);
    // Of rejected users, too: their ids are those of users of the input.
    const org =
      orgBy && realmOrgs.of({ id: userId, userName, attributes: fields.attributes ?? NO_ATTRIBUTES }, remarks);
    const isPlain = grants === undefined && org === undefined;
    const user = person === undefined || isPlain ? person : { ...person, ...(grants && { grants }), ...org };
    return {
      faults,
      user,
      userId,
      email: address?.email,
      isNamedByEmail: names.isByUserName,
      hashField: credentials.hashField,
      ...notes,
      roles,
      unfit: "credentials" in row ? undefined : ("no-credentials" satisfies Unfit),
    };
  };
}

/** What the user loses. */
interface Notes {
  readonly remarks: Remark[];
  readonly fields: string[];
  readonly providers: string[];
  readonly metadata: string[];
}

/** Creates a user of the parts, and notes each loss. */
type ToUser = (fields: Partial<User>, parts: Parts, notes: Notes) => SourceUser;

function createToUser({ phoneAttribute, phoneCountry, metadata: choice, idp }: Settings<KeycloakOptions>): ToUser {
  const readProfile = createProfileReader(phoneAttribute, phoneCountry);
  return (fields, { raw, userId, userName, address, names, credentials: { hash, otpSecret, otpLoss } }, notes) => {
    const { remarks } = notes;
    const tell = (remark: Remark, isSo: boolean): void => {
      if (isSo) remarks.push(remark);
    };
    const attributes = fields.attributes ?? NO_ATTRIBUTES;
    const profile = readProfile(attributes, remarks);
    const { metadata, lost, leftOut } = chooseMetadata(attributes, choice);
    const { links, isLost: isLinkLost, unlinked } = toIdpLinks((fields.federatedIdentities ?? []).map(toIdentity), idp);
    const isPasswordChangeRequired = hash !== undefined && mustChangePassword(fields);
    const isInactive = fields.enabled === false;
    tell("stays-inactive", isInactive);
    tell("email-made-up", address.isMadeUp);
    if (names.missing !== undefined) remarks.push(names.missing);
    tell("password-change", isPasswordChangeRequired);
    if (otpLoss !== undefined) remarks.push(otpLoss);
    tell("link-lost", isLinkLost);
    tell("metadata-lost", lost.length > 0);
    notes.metadata.push(...lost);
    notes.providers.push(...unlinked);
    notes.fields.push(...leftOut.filter((name) => !profile.attributes.has(name)));
    tell("attributes-left-out", notes.fields.length > 0);
    addLosses(fields, raw, hash !== undefined, remarks);
    return {
      userId,
      userName,
      email: address.email,
      isEmailVerified: address.isVerified,
      firstName: names.firstName,
      lastName: names.lastName,
      displayName: names.displayName,
      preferredLanguage: profile.preferredLanguage,
      phone: profile.phone,
      isPhoneVerified: profile.isPhoneVerified,
      hash,
      isPasswordChangeRequired: isPasswordChangeRequired || undefined,
      otpSecret,
      idpLinks: links.length === 0 ? undefined : links,
      metadata: metadata.length === 0 ? undefined : metadata,
      // Written for users who are enabled, too: an update activates those who were not.
      state: isInactive ? "inactive" : fields.enabled === true ? "active" : undefined,
    };
  };
}

type FederatedIdentity = NonNullable<User["federatedIdentities"]>[number];

function toIdentity({ identityProvider, userId, userName }: FederatedIdentity): Identity {
  return { provider: identityProvider ?? undefined, userId: userId ?? undefined, userName: userName ?? undefined };
}

/** A required text; undefined, with its fault, for an empty one. */
function readText(value: string | null | undefined, field: string, limit: number, faults: RowFault[]) {
  if (!value && faults.some((fault) => fault.field === field)) return undefined; // not even a text
  addTextFault(faults, field, value ?? "", limit);
  return value || undefined;
}
