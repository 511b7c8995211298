import * as z from "zod";
import { serviceLimits } from "../../contract/service-limits.ts";
import type { UserReading } from "../../core/merge/reading.ts";
import type { IdpLink, Metadata, SourceUser } from "../../core/merge/source-user.ts";
import { languageOf } from "../../core/rules/language.ts";
import { toMetadata } from "../../core/rules/metadata.ts";
import { phoneOf } from "../../core/rules/phone.ts";
import { addTextFault, readFields } from "../../core/rules/row-fields.ts";
import { isLongerThan } from "../../core/rules/text.ts";
import type { Remark } from "../../problem.ts";
import { type Granter, plainRole, type RoleNames } from "../shared/grants.ts";
import { isEmpty, phoneLost, valueAt } from "../shared/options.ts";
import { oneOrg } from "../shared/values-by-user.ts";
import { accountsOf, createNotesOf } from "./notes.ts";
import { type Auth0Settings, idpOf } from "./options.ts";
import { readAccount, unfitOf, withState } from "./read-user.ts";

const text = z.string().nullish();
const object = z.record(z.string(), z.unknown()).nullish();

/** Everything of a row that can be carried. null counts as absent. */
const Profile = z.object({
  user_id: text,
  email: text,
  email_verified: z.boolean().nullish(),
  username: text,
  name: text,
  given_name: text,
  family_name: text,
  nickname: text,
  // LinkedIn gives {country, language}, and Auth0 passes it on.
  locale: z.union([z.string(), z.record(z.string(), z.unknown())]).nullish(),
  phone_number: text,
  phone_verified: z.boolean().nullish(),
  blocked: z.boolean().nullish(),
  user_metadata: object,
  app_metadata: object,
  identities: z
    .array(
      z.object({
        provider: z.string(),
        user_id: z.union([z.string(), z.number()]),
        connection: text,
        profileData: z.object({ email: z.unknown().optional(), name: z.unknown().optional() }).nullish(),
      }),
    )
    .nullish(),
});
type Profile = Partial<z.infer<typeof Profile>>;

/** What reads the fields that the settings take over: no other field keeps a row from being read. */
function takenFields({ profile, userName, metadata, idp, orgBy, rolesBy }: Auth0Settings): typeof Profile {
  const paths = [orgBy, ...rolesBy].flatMap((by) => (by?.kind === "path" ? by.keys.slice(0, 1) : []));
  const names = new Set<string>([
    ...["user_id", "email", "email_verified", "name", "blocked"],
    ...(profile === "full" ? FULL_FIELDS : []),
    ...(userName === "username" ? ["username"] : []),
    ...[...metadata.map(({ field }) => field), ...paths],
    ...(idp.size > 0 || orgBy?.kind === "connection" ? ["identities"] : []),
  ]);
  const shape = Object.entries(Profile.shape).filter(([name]) => names.has(name));
  return z.object(Object.fromEntries(shape)) as typeof Profile; // all of its fields are optional
}

const FULL_FIELDS = ["given_name", "family_name", "nickname", "locale", "phone_number", "phone_verified"];

type Identity = NonNullable<Profile["identities"]>[number];

/** Reads parsed profiles with everything that the options ask for. */
export function createFullReader(settings: Auth0Settings, granter: Granter): (row: object) => UserReading {
  const notesOf = createNotesOf(settings);
  const taken = takenFields(settings);
  return (row) => {
    const { fields, faults } = readFields(taken, row);
    const { userId, address } = readAccount(fields, row, settings, faults);
    const remarks: Remark[] = [];
    const email = address?.given;
    const shown = address?.value ?? "";
    const names = settings.profile === "full" ? fullNames(fields, shown) : plainNames(fields, shown);
    for (const [field, value, limit] of namesOf(fields, settings)) addTextFault(faults, field, value, limit);
    // Of rejected users, too: their ids are those of users of the input.
    const ownRoles = userId === undefined ? NO_ROLES : rolesOf(userId, fields, settings, remarks);
    const org = userId === undefined ? {} : orgOf(userId, fields, settings, remarks);
    if (faults.length > 0 || userId === undefined || address === undefined) {
      return { faults, user: undefined, userId, email, isNamedByEmail: names.isByEmail, unfit: unfitOf(row) };
    }
    const noted = notesOf(row);
    const userName = (settings.userName === "username" && fields.username) || address.value;
    const isConverted = address.isConverted && userName === address.value;
    const {
      state,
      fields: left,
      providers,
      remarks: others,
    } = withState(fields.blocked, { ...address, isConverted }, settings, noted);
    const { grants, left: roles } = granter.read(ownRoles, remarks);
    const metadata: string[] = [];
    const user: SourceUser = {
      userId,
      userName,
      email: address.value,
      isEmailVerified: address.verified,
      ...names.profile,
      ...(settings.profile === "full" ? details(fields, settings, remarks) : {}),
      ...state,
      ...metadataOf(fields, settings, remarks, metadata),
      ...linksOf(fields, settings, remarks),
      ...(grants === undefined ? {} : { grants }),
      ...org,
    };
    remarks.push(...(others ?? []));
    return {
      faults,
      user,
      userId,
      email,
      isNamedByEmail: names.isByEmail,
      remarks,
      fields: left,
      providers,
      roles,
      metadata,
    };
  };
}

interface Names {
  readonly profile: Pick<SourceUser, "firstName" | "lastName" | "nickName" | "displayName">;
  readonly isByEmail: boolean;
}

/** As in a plain profile: the name stands for both (spec: Import body for users). */
function plainNames({ name }: Profile, email: string): Names {
  const both = name || email;
  return { profile: { firstName: both, lastName: both }, isByEmail: !name };
}

/**
 * Given and family name; what is missing comes from the name: its last word is the family name, the words before it the given one,
 * and a single word is both. A name that is the address says nothing.
 */
function fullNames({ given_name, family_name, name, nickname }: Profile, email: string): Names {
  const full = (name ?? "").trim() === email ? "" : (name ?? "").trim();
  const words = full.split(/\s+/);
  const last = words.at(-1) ?? "";
  const first = words.slice(0, -1).join(" ") || last;
  const firstName = given_name?.trim() || first || family_name?.trim() || email;
  const lastName = family_name?.trim() || last || given_name?.trim() || email;
  const nick = nickname?.trim() ?? "";
  // Without one, the service shows both names: the address twice.
  const shown = full || (firstName === lastName ? firstName : "");
  return {
    profile: {
      firstName,
      lastName,
      ...(nick === "" ? {} : { nickName: nick }),
      ...(shown === "" ? {} : { displayName: shown }),
    },
    isByEmail: firstName === email && lastName === email,
  };
}

/** The texts that are written as they are, with the service's limits. */
function namesOf(fields: Profile, { profile }: Auth0Settings): readonly (readonly [string, string, number])[] {
  const { firstName, lastName, nickName, displayName, userName } = serviceLimits;
  const { name, given_name, family_name, nickname, username } = fields;
  const all: readonly (readonly [string, string | null | undefined, number])[] =
    profile === "plain"
      ? [["name", name, firstName]]
      : [
          ["given_name", given_name, firstName],
          ["family_name", family_name, lastName],
          ["nickname", nickname, nickName],
          ["name", name, displayName],
        ];
  return [...all, ["username", username, userName] as const].flatMap(([field, value, limit]) =>
    value ? [[field, value, limit] as const] : [],
  );
}

/** What only a full profile carries. */
function details(fields: Profile, { phoneCountry }: Auth0Settings, remarks: Remark[]): Partial<SourceUser> {
  const locale = localeOf(fields.locale);
  const language = locale === "" ? undefined : languageOf(locale);
  if (locale !== "" && language === undefined) remarks.push("language-lost");
  const phone = fields.phone_number ? phoneOf(fields.phone_number, phoneCountry) : undefined;
  if (fields.phone_number && phone === undefined) remarks.push(phoneLost(phoneCountry));
  if (phone !== undefined && fields.phone_verified !== true) remarks.push("phone-unverified");
  return {
    ...(language === undefined ? {} : { preferredLanguage: language }),
    ...(phone === undefined ? {} : { phone, isPhoneVerified: fields.phone_verified ?? false }),
  };
}

/** The locale as one text; "" for none. */
function localeOf(locale: Profile["locale"]): string {
  if (typeof locale === "string" || !locale) return locale ?? "";
  const { language, country } = locale;
  const parts = [language, country].filter((part) => typeof part === "string" && part !== "");
  return typeof language === "string" && language !== "" ? parts.join("-") : "?";
}

function metadataOf(
  fields: Profile,
  { metadata: sources }: Auth0Settings,
  remarks: Remark[],
  lostKeys: string[],
): { readonly metadata?: readonly Metadata[] } {
  const all = sources.map(({ field, prefix }) => toMetadata(fields[field] ?? {}, prefix));
  lostKeys.push(...new Set(all.flatMap(({ lost }) => lost)));
  if (lostKeys.length > 0) remarks.push("metadata-lost");
  // Of one key in both, the later source counts, as it would for the service.
  const entries = all.flatMap((one) => one.metadata);
  const kept = new Map(entries.map((entry) => [entry.key, entry]));
  if (entries.some(({ key, value }) => kept.get(key)?.value !== value)) remarks.push("metadata-doubled");
  const metadata = [...kept.values()];
  return metadata.length === 0 ? {} : { metadata };
}

/** Every identity whose provider or connection has a counterpart on the target becomes a link. */
function linksOf(
  { user_id, email, identities }: Profile,
  { idp }: Auth0Settings,
  remarks: Remark[],
): { readonly idpLinks?: readonly IdpLink[] } {
  const accounts = accountsOf(user_id, identities ?? []) as readonly Identity[]; // what it adds is one
  const links: IdpLink[] = [];
  let isLost = false;
  for (const { provider, user_id: given, connection, profileData } of accounts) {
    const idpId = idpOf(idp, provider, connection);
    const isOwn = user_id?.startsWith(`${provider}|`) === true;
    const own = isOwn ? withoutConnection(user_id.slice(provider.length + 1), connection) : "";
    const externalUserId = typeof given === "string" ? withoutConnection(given, connection) : digitsOf(given, own);
    if (idpId !== undefined && externalUserId === undefined) isLost = true;
    if (idpId === undefined || externalUserId === undefined) continue;
    const named = [profileData?.email, profileData?.name, email].find((one) => typeof one === "string" && one !== "");
    const displayName =
      typeof named === "string" && !isLongerThan(named, serviceLimits.displayName) ? named : externalUserId;
    links.push({ idpId, externalUserId, displayName });
  }
  if (isLost) remarks.push("link-number-lost");
  return links.length === 0 ? {} : { idpLinks: links };
}

/**
 * Auth0 puts the name of an enterprise connection (SAML, OpenID Connect, ADFS and others) before the id that the provider sends:
 * `samlp|<connection>|<id>` (Auth0, "Change User ID Used by Auth0 for SAML Connection").
 */
function withoutConnection(given: string, connection?: string | null): string {
  if (!connection) return given;
  const prefix = `${connection}|`;
  return given.startsWith(prefix) && given !== prefix ? given.slice(prefix.length) : given;
}

/** A number beyond the exact ones has lost digits; the user's own id has them, if it is of the same account. */
function digitsOf(given: number, own: string): string | undefined {
  if (Number.isSafeInteger(given)) return String(given);
  return own !== "" && Number(own) === given ? own : undefined;
}

/** @param remarks gets `roles-unread`. */
function rolesOf(userId: string, fields: Profile, { rolesBy }: Auth0Settings, remarks: Remark[]): readonly RoleNames[] {
  if (rolesBy.length === 0) return NO_ROLES;
  const found = rolesBy.flatMap((by): unknown =>
    by.kind === "table" ? by.table.get(userId) : valueAt(fields, by.keys),
  );
  const names = found.filter((name) => !isEmpty(name));
  const roles = new Set(names.filter((name) => typeof name === "string"));
  if (names.some((name) => typeof name !== "string")) remarks.push("roles-unread");
  return [...roles].map(plainRole);
}

const NO_ROLES: readonly RoleNames[] = [];

function orgOf(
  userId: string,
  fields: Profile,
  { orgBy }: Auth0Settings,
  remarks: Remark[],
): { orgId?: string; orgName?: string } {
  if (orgBy === undefined) return {};
  if (orgBy.kind === "connection") {
    const connection = fields.identities?.[0]?.connection;
    return connection ? { orgName: connection } : {};
  }
  const value = orgBy.kind === "table" ? oneOrg(orgBy.table.get(userId), remarks) : valueAt(fields, orgBy.keys);
  return typeof value === "string" && value !== "" ? { orgId: value } : {};
}
