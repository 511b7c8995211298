import type { Expression, Preset } from "../mapped/fields.ts";

/** Accounts at other providers. */
export interface IdentityList {
  /** Lists of accounts, or objects with one for each provider; the first that is not empty counts. */
  readonly from: Expression;
  readonly provider: readonly string[];
  readonly userId: readonly string[];
  readonly userName?: readonly string[];
  /** true: an object, by the names of the providers. */
  readonly isKeyed?: boolean;
  /** Providers that are the source itself. */
  readonly own?: readonly string[];
  /** Only accounts with this value are at another provider. */
  readonly only?: { readonly member: string; readonly is: string };
}

/** A list of names and values that is read as one object. */
export interface Pairs {
  readonly list: string;
  readonly name: string;
  readonly value: string;
}

/** The fields of a provider's users as JSON. */
export interface JsonPreset extends Preset {
  /** Rows with all of these paths are recognized; of several lists, any. */
  readonly signatures: readonly (readonly Expression[])[];
  readonly identities?: IdentityList;
  readonly pairs?: Pairs;
  /** Members of an object with such a name are metadata, by the key that the first group holds. */
  readonly metadataMembers?: { readonly of: string; readonly form: RegExp };
  /** A row with one of these values is a service account. */
  readonly serviceAccounts?: { readonly at: Expression; readonly values: readonly string[] };
  /** Paths that say nothing that a user could miss: moments, addresses of the API, what other fields say again. */
  readonly ignored?: readonly Expression[];
}

/** `firebase auth:export users.json`. */
const firebase: JsonPreset = {
  id: "firebase",
  title: "Firebase",
  signatures: [["localId"]],
  fields: {
    userId: "localId",
    userName: "email|phoneNumber",
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
  anonymousWithout: ["email", "phoneNumber", "providerUserInfo"],
  identities: {
    from: "providerUserInfo",
    provider: ["providerId"],
    userId: ["rawId"],
    userName: ["email"],
    own: ["password", "phone"],
  },
  hashKind: "firebase-scrypt",
  ignored: [
    "createdAt",
    "lastSignedInAt",
    "lastLoginAt",
    "lastRefreshAt",
    "validSince",
    "passwordUpdatedAt",
    "version",
  ],
};

/** Ory Kratos: `GET /admin/identities?include_credential=password&include_credential=totp&include_credential=oidc`. */
const kratos: JsonPreset = {
  id: "kratos",
  title: "Ory Kratos",
  signatures: [["schema_id", "traits"]],
  fields: {
    userId: "id",
    userName: "traits.username|traits.email",
    email: "traits.email",
    emailVerified: "verifiable_addresses[value=@traits.email].verified|verifiable_addresses[via=email].verified",
    firstName: "traits.name.first|traits.first_name|traits.firstName|traits.given_name",
    lastName: "traits.name.last|traits.last_name|traits.lastName|traits.family_name",
    name: "traits.name|traits.full_name",
    language: "traits.locale|traits.language",
    phone: "traits.phone|traits.phone_number",
    phoneVerified: "verifiable_addresses[value=@traits.phone].verified|verifiable_addresses[via=sms].verified",
    hash: "credentials.password.config.hashed_password",
    totp: "credentials.totp.config.totp_url",
    state: "state",
  },
  metadata: { metadata_public: "metadata_public", metadata_admin: "metadata_admin" },
  identities: { from: "credentials.oidc.config.providers", provider: ["provider"], userId: ["subject"] },
  ignored: [
    "schema_id",
    "schema_url",
    "created_at",
    "updated_at",
    "state_changed_at",
    "recovery_addresses",
    "verifiable_addresses",
    "credentials.password",
    "credentials.totp",
    "credentials.oidc",
    "credentials.code",
  ],
};

/** Amazon Cognito: `aws cognito-idp list-users`. */
const cognito: JsonPreset = {
  id: "cognito",
  title: "Amazon Cognito",
  signatures: [["Username", "Attributes"]],
  pairs: { list: "Attributes", name: "Name", value: "Value" },
  fields: {
    userId: "Attributes.sub|Username",
    userName: "Attributes.preferred_username|Attributes.email|Username",
    email: "Attributes.email",
    emailVerified: "Attributes.email_verified",
    firstName: "Attributes.given_name",
    lastName: "Attributes.family_name",
    name: "Attributes.name",
    displayName: "Attributes.name",
    nickName: "Attributes.nickname",
    language: "Attributes.locale",
    gender: "Attributes.gender",
    phone: "Attributes.phone_number",
    phoneVerified: "Attributes.phone_number_verified",
    state: "Enabled|UserStatus",
  },
  metadataMembers: { of: "Attributes", form: /^custom:(.+)$/ },
  identities: { from: "Attributes.identities", provider: ["providerName"], userId: ["userId"] },
  ignored: [
    "Username",
    "UserStatus",
    "UserCreateDate",
    "UserLastModifiedDate",
    "Attributes.updated_at",
    "Attributes.cognito:user_status",
  ],
};

/** Okta: `GET /api/v1/users`. */
const okta: JsonPreset = {
  id: "okta",
  title: "Okta",
  signatures: [["status", "profile.login"]],
  fields: {
    userId: "id",
    userName: "profile.login",
    email: "profile.email",
    firstName: "profile.firstName",
    lastName: "profile.lastName",
    displayName: "profile.displayName",
    nickName: "profile.nickName",
    language: "profile.preferredLanguage|profile.locale",
    phone: "profile.mobilePhone|profile.primaryPhone",
    state: "status",
  },
  ignored: [
    "created",
    "activated",
    "statusChanged",
    "lastLogin",
    "lastUpdated",
    "passwordChanged",
    "type",
    "credentials",
    "realmId",
    "_links",
    "_embedded",
  ],
};

/** Microsoft Entra ID and Azure AD B2C: `GET /v1.0/users?$select=…,identities` of Microsoft Graph. */
const entra: JsonPreset = {
  id: "entra",
  title: "Microsoft Entra ID",
  signatures: [["userPrincipalName"], ["identities", "accountEnabled"]],
  fields: {
    userId: "id",
    userName:
      "identities[signInType=emailAddress].issuerAssignedId|identities[signInType=userName].issuerAssignedId|mail|userPrincipalName",
    email: "identities[signInType=emailAddress].issuerAssignedId|mail|otherMails[0]",
    firstName: "givenName",
    lastName: "surname",
    name: "displayName",
    displayName: "displayName",
    language: "preferredLanguage",
    phone: "mobilePhone",
    state: "accountEnabled",
  },
  identities: {
    from: "identities",
    provider: ["issuer"],
    userId: ["issuerAssignedId"],
    only: { member: "signInType", is: "federated" },
  },
  ignored: ["userPrincipalName", "createdDateTime", "userType", "@odata.type", "@odata.id", "mail", "otherMails"],
};

/** SCIM 2.0 (RFC 7643): a ListResponse of `GET /Users`. */
const scim: JsonPreset = {
  id: "scim",
  title: "SCIM 2.0",
  signatures: [["schemas", "userName"]],
  fields: {
    userId: "id",
    userName: "userName",
    email: "emails[primary=true].value|emails[0].value",
    firstName: "name.givenName",
    lastName: "name.familyName",
    name: "name.formatted|displayName",
    displayName: "displayName",
    nickName: "nickName",
    language: "preferredLanguage|locale",
    phone: "phoneNumbers[primary=true].value|phoneNumbers[0].value",
    state: "active",
  },
  others: [
    { key: "other_email_addresses", columns: "emails[].value", besides: "email" },
    { key: "other_phone_numbers", columns: "phoneNumbers[].value", besides: "phone" },
  ],
  ignored: [
    "schemas",
    "meta",
    "name.formatted",
    "emails.type",
    "emails.display",
    "phoneNumbers.type",
    "phoneNumbers.display",
  ],
};

/** Clerk: `GET /v1/users`, or the file that its support sends, which has hashes. */
const clerk: JsonPreset = {
  id: "clerk",
  title: "Clerk",
  signatures: [["email_addresses", "primary_email_address_id"]],
  fields: {
    userId: "id",
    userName: "username|email_addresses[id=@primary_email_address_id].email_address",
    email: "email_addresses[id=@primary_email_address_id].email_address|email_addresses[0].email_address",
    emailVerified:
      "email_addresses[id=@primary_email_address_id].verification.status|email_addresses[0].verification.status",
    firstName: "first_name",
    lastName: "last_name",
    language: "locale",
    phone: "phone_numbers[id=@primary_phone_number_id].phone_number|phone_numbers[0].phone_number",
    phoneVerified:
      "phone_numbers[id=@primary_phone_number_id].verification.status|phone_numbers[0].verification.status",
    hash: "password_digest",
    hashKind: "password_hasher",
    totp: "totp_secret",
    state: "banned|locked",
  },
  metadata: {
    public_metadata: "public_metadata",
    private_metadata: "private_metadata",
    unsafe_metadata: "unsafe_metadata",
    external_id: "external_id",
  },
  others: [
    {
      key: "other_email_addresses",
      columns: "email_addresses[].email_address",
      besides: "email",
    },
    { key: "other_phone_numbers", columns: "phone_numbers[].phone_number", besides: "phone" },
  ],
  identities: {
    from: "external_accounts",
    provider: ["provider"],
    userId: ["provider_user_id"],
    userName: ["email_address"],
  },
  ignored: [
    "object",
    "created_at",
    "updated_at",
    "last_sign_in_at",
    "last_active_at",
    "legal_accepted_at",
    "mfa_enabled_at",
    "mfa_disabled_at",
    "password_last_updated_at",
    "password_enabled",
    "two_factor_enabled",
    "has_image",
    "profile_image_url",
    "lockout_expires_in_seconds",
    "verification_attempts_remaining",
    "delete_self_enabled",
    "create_organization_enabled",
    "email_addresses",
    "phone_numbers",
  ],
};

/** SuperTokens: `GET /users` of its core, or rows of its tables emailpassword_users, which have hashes. */
const supertokens: JsonPreset = {
  id: "supertokens",
  title: "SuperTokens",
  signatures: [
    ["loginMethods", "tenantIds"],
    ["recipeId", "user.timeJoined"],
    ["user_id", "password_hash", "time_joined"],
  ],
  fields: {
    userId: "id|user.id|user_id",
    email: "emails[0]|user.email|email",
    emailVerified: "loginMethods[email=@emails.0].verified|loginMethods[0].verified",
    phone: "phoneNumbers[0]|user.phoneNumber|phone_number",
    phoneVerified: "phoneNumbers[0]|user.phoneNumber",
    hash: "password_hash",
  },
  identities: { from: "thirdParty", provider: ["id"], userId: ["userId"] },
  ignored: [
    "isPrimaryUser",
    "tenantIds",
    "timeJoined",
    "time_joined",
    "loginMethods",
    "recipeId",
    "user.timeJoined",
    "user.tenantIds",
    "app_id",
    "webauthn.credentialIds",
  ],
};

/** Logto: `GET /api/users`, or rows of its table users, which have hashes. */
const logto: JsonPreset = {
  id: "logto",
  title: "Logto",
  signatures: [
    ["primaryEmail", "customData"],
    ["primary_email", "password_encrypted"],
  ],
  fields: {
    userId: "id",
    userName: "username|primaryEmail|primary_email",
    email: "primaryEmail|primary_email",
    firstName: "profile.givenName",
    lastName: "profile.familyName",
    name: "name",
    displayName: "name",
    nickName: "profile.nickname",
    language: "profile.locale",
    gender: "profile.gender",
    phone: "primaryPhone|primary_phone",
    // Logto takes over a number once a code that was sent to it was entered.
    phoneVerified: "primaryPhone|primary_phone",
    hash: "passwordEncrypted|password_encrypted",
    hashKind: "passwordEncryptionMethod|password_encryption_method",
    totp: "mfaVerifications[type=Totp].key|mfa_verifications[type=Totp].key",
    state: "isSuspended|is_suspended",
  },
  metadata: { customData: "customData|custom_data" },
  hasBarePhones: true,
  identities: { from: "identities", provider: [], userId: ["userId"], isKeyed: true },
  ignored: [
    "tenantId",
    "tenant_id",
    "applicationId",
    "application_id",
    "lastSignInAt",
    "last_sign_in_at",
    "createdAt",
    "created_at",
    "updatedAt",
    "updated_at",
    "hasPassword",
  ],
};

/** FusionAuth: `POST /api/user/search`, with `password`, `salt`, `factor` and `encryptionScheme` of its database. */
const fusionauth: JsonPreset = {
  id: "fusionauth",
  title: "FusionAuth",
  signatures: [["usernameStatus"], ["registrations", "tenantId"], ["encryptionScheme", "password"]],
  fields: {
    userId: "id",
    userName: "username|email",
    email: "email",
    emailVerified: "verified",
    firstName: "firstName",
    lastName: "lastName",
    name: "fullName",
    displayName: "fullName",
    language: "preferredLanguages[0]",
    phone: "mobilePhone",
    hash: "password",
    hashKind: "encryptionScheme",
    salt: "salt",
    iterations: "factor",
    totp: "twoFactorSecret",
    state: "active",
  },
  metadata: { data: "data" },
  ignored: [
    "tenantId",
    "usernameStatus",
    "uniqueUsername",
    "verifiedAt",
    "insertInstant",
    "lastLoginInstant",
    "lastUpdateInstant",
    "passwordLastUpdateInstant",
    "connectorId",
    "passwordChangeRequired",
  ],
};

/** Authentik: `GET /api/v3/core/users/`, or `ak dumpdata authentik_core.user`, which has hashes. */
const authentik: JsonPreset = {
  id: "authentik",
  title: "Authentik",
  signatures: [
    ["pk", "is_active", "uid"],
    ["model", "fields.password", "fields.uuid"],
  ],
  fields: {
    userId: "uuid|fields.uuid",
    userName: "username|fields.username",
    email: "email|fields.email",
    name: "name|fields.name",
    displayName: "name|fields.name",
    language: "attributes.settings.locale|fields.attributes.settings.locale",
    hash: "fields.password",
    state: "is_active|fields.is_active",
  },
  serviceAccounts: { at: "type|fields.type", values: ["service_account", "internal_service_account"] },
  metadata: { attributes: "attributes|fields.attributes" },
  ignored: [
    "pk",
    "uid",
    "model",
    "type",
    "path",
    "last_login",
    "date_joined",
    "avatar",
    "last_updated",
    "password_change_date",
    "fields.type",
    "fields.path",
    "fields.last_login",
    "fields.date_joined",
    "fields.last_updated",
    "fields.password_change_date",
  ],
};

/** What `--preset` knows. */
export const presets: readonly JsonPreset[] = [
  firebase,
  kratos,
  cognito,
  okta,
  entra,
  scim,
  clerk,
  supertokens,
  logto,
  fusionauth,
  authentik,
];

/** Keys of lists of users in documents. */
export const lists = ["users", "Users", "value", "Resources", "results", "items", "data"] as const;
