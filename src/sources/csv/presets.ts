import type { RowReaders } from "../../core/merge/reading.ts";
import type { Preset } from "../mapped/fields.ts";
import { usualNames } from "../mapped/usual-names.ts";

/** The columns of a provider's tables. */
export interface TablePreset extends Preset {
  /** Columns with such a name are metadata, by the key that the first group holds. */
  readonly metadataColumns?: RegExp;
  /** A table with all of these columns is recognized; of several, any. Absent: the preset has to be named. */
  readonly signatures?: readonly (readonly string[])[];
  /** What is out of the ordinary about the table. */
  readonly table?: RowReaders["table"];
  /** true: values begin with an apostrophe, which is no part of them. */
  readonly hasApostrophes?: boolean;
}

/** Clerk's user export (dashboard, Settings, User exports). */
const clerk: TablePreset = {
  id: "clerk",
  title: "Clerk",
  signatures: [["id", "primary_email_address", "verified_email_addresses", "password_digest", "password_hasher"]],
  fields: {
    userId: "id",
    userName: "username",
    email: "primary_email_address|verified_email_addresses[0]|unverified_email_addresses[0]",
    emailVerified: "verified_email_addresses",
    firstName: "first_name",
    lastName: "last_name",
    phone: "primary_phone_number|verified_phone_numbers[0]|unverified_phone_numbers[0]",
    phoneVerified: "verified_phone_numbers",
    hash: "password_digest",
    hashKind: "password_hasher",
    totp: "totp_secret",
    state: "banned|locked",
  },
  others: [
    {
      key: "other_email_addresses",
      columns: "verified_email_addresses|unverified_email_addresses",
      besides: "email",
    },
    { key: "other_phone_numbers", columns: "verified_phone_numbers|unverified_phone_numbers", besides: "phone" },
  ],
};

/** Amazon Cognito: tables with the header of `get-csv-header`, as its exporters write them. Cognito exports no hashes. */
const cognito: TablePreset = {
  id: "cognito",
  title: "Amazon Cognito",
  signatures: [["cognito:username", "email", "email_verified"]],
  fields: {
    userId: "sub|cognito:username",
    userName: "preferred_username|email|cognito:username",
    email: "email",
    emailVerified: "email_verified",
    firstName: "given_name",
    lastName: "family_name",
    name: "name",
    displayName: "name",
    nickName: "nickname",
    language: "locale",
    gender: "gender",
    phone: "phone_number",
    phoneVerified: "phone_number_verified",
    state: "enabled",
  },
  metadataColumns: /^custom:(.+)$/i,
};

/** Supabase: the table auth.users, from the dashboard or psql. */
const supabase: TablePreset = {
  id: "supabase",
  title: "Supabase",
  signatures: [["id", "email", "encrypted_password", "raw_user_meta_data", "raw_app_meta_data"]],
  fields: {
    userId: "id",
    userName: "email|phone",
    email: "email",
    emailVerified: "email_confirmed_at",
    firstName: "raw_user_meta_data.first_name|raw_user_meta_data.given_name",
    lastName: "raw_user_meta_data.last_name|raw_user_meta_data.family_name",
    name: "raw_user_meta_data.full_name|raw_user_meta_data.name|raw_user_meta_data.display_name",
    displayName: "raw_user_meta_data.full_name|raw_user_meta_data.name|raw_user_meta_data.display_name",
    phone: "phone",
    phoneVerified: "phone_confirmed_at",
    hash: "encrypted_password",
    state: "banned_until",
    deleted: "deleted_at",
    anonymous: "is_anonymous",
  },
  metadata: { raw_user_meta_data: "raw_user_meta_data", raw_app_meta_data: "raw_app_meta_data" },
  hasBarePhones: true,
  // Users who only sign in with other providers have a random hash, without a known password.
  providers: { column: "raw_app_meta_data.providers", own: ["email", "phone"] },
};

/** Okta: tables with the header of its own template, or of the browser extensions that export users. Okta exports no hashes. */
const okta: TablePreset = {
  id: "okta",
  title: "Okta",
  signatures: [["login", "firstName", "lastName", "email", "secondEmail"]],
  fields: {
    userId: "id|login",
    userName: "login",
    email: "email",
    firstName: "firstName",
    lastName: "lastName",
    displayName: "displayName",
    nickName: "nickName",
    language: "preferredLanguage|locale",
    phone: "mobilePhone|primaryPhone",
    state: "status",
  },
};

/** Four columns for each provider, by the names of what they hold. */
function columnsOfProvider(name: string): readonly string[] {
  return [`${name}.id`, `${name}.email`, `${name}.displayName`, `${name}.photoUrl`];
}

/** The columns by their place; files of older versions of the tool have the first of them. A comma ends each row. */
const providers = ["google", "facebook", "twitter", "github"];
const laterProviders = ["apple", "microsoft", "gc.apple", "playgames", "linkedin", "yahoo"];
const firebaseColumns = [
  "localId",
  "email",
  "emailVerified",
  "passwordHash",
  "salt",
  "displayName",
  "photoUrl",
  ...providers.flatMap(columnsOfProvider),
  "createdAt",
  "lastSignedInAt",
  "phoneNumber",
  "disabled",
  "customAttributes",
  ...laterProviders.flatMap(columnsOfProvider),
];

/** Firebase: `firebase auth:export users.csv`. It writes no names of columns, and quotes where it pleases. */
const firebaseCsv: TablePreset = {
  id: "firebase-csv",
  title: "Firebase",
  table: { columns: firebaseColumns, hasLooseQuotes: true },
  fields: {
    userId: "localId",
    email: "email",
    emailVerified: "emailVerified",
    name: "displayName",
    displayName: "displayName",
    // Firebase only has numbers that were used to sign in.
    phone: "phoneNumber",
    phoneVerified: "phoneNumber",
    hash: "passwordHash",
    salt: "salt",
    state: "disabled",
  },
  metadata: { customAttributes: "customAttributes" },
  anonymousWithout: ["email", "phoneNumber", ...[...providers, ...laterProviders].map((name) => `${name}.id`)],
  hashKind: "firebase-scrypt",
};

/** Auth0's exports as tables. Passwords come in a separate file, which `migrate auth0` joins with the JSON export. */
const auth0: TablePreset = {
  id: "auth0",
  title: "Auth0",
  signatures: [
    ["user_id", "email", "email_verified", "nickname"],
    ["user_id", "email", "email_verified", "name"],
    ["Id", "Nickname", "Name", "email", "Connection"],
  ],
  fields: {
    userId: "user_id|Id",
    userName: "username|email",
    email: "email",
    emailVerified: "email_verified",
    firstName: "given_name",
    lastName: "family_name",
    name: "name",
    nickName: "nickname",
    language: "locale",
    phone: "phone_number",
    phoneVerified: "phone_verified",
    state: "blocked",
  },
  hasApostrophes: true,
};

/** Tables of one's own: the names that databases, frameworks and shops give to these columns. Never recognized by itself. */
export const generic: TablePreset = {
  id: "generic",
  title: "a table of one's own",
  fields: usualNames,
  metadataColumns: /^metadata\.(.+)$/i,
};

/** What `--preset` knows. */
export const presets: readonly TablePreset[] = [clerk, cognito, supabase, okta, firebaseCsv, auth0, generic];
