import { serviceLimits } from "../contract/service-limits.ts";

/**
 * How the value of a field is written; every reader and writer of fields has one rule per form.
 *
 * | form | in an entry |
 * |---|---|
 * | `id`, `email`, `name` | a text; in a comparison, the spaces around it do not count |
 * | `text`, `secret` | a text |
 * | `language`, `phone` | a text, compared in the form that the service keeps |
 * | `gender`, `state` | the name or the number of an enum |
 * | `verified` | true or false, only beside the address or number that it is about |
 * | `flag` | true or absent; a required change is compared only beside a password |
 * | `hash`, `password` | a text; the service looks at the password only without a hash (service behaviour 0.3) |
 * | `links` | a list of accounts at identity providers |
 */
export type FieldForm =
  | "id"
  | "email"
  | "text"
  | "name"
  | "secret"
  | "language"
  | "gender"
  | "phone"
  | "verified"
  | "hash"
  | "password"
  | "flag"
  | "links"
  | "state";

/** A field of a human user, in every place where it stands. */
export interface UserField {
  /** In a `SourceUser`. */
  readonly name: string;
  /** In comparisons, conflicts and reports; absent: it is not compared. */
  readonly compared?: string;
  /** Its path in an entry of `humanUsers`, in camel case (service behaviour 1.4). */
  readonly entry: string;
  readonly form: FieldForm;
  /** The name of the address or number that a `verified` field is about. */
  readonly of?: string;
  /** Its path in the users API, version 2 (service behaviour 0.3, 0.28); absent: it is set by another call, or never. */
  readonly api?: string;
  /** Its member in the payload of the events that create a user or change the profile (service behaviour 0.19a). */
  readonly event?: string;
  /** Of its length, in code points; absent: none, or a rule of the form. */
  readonly limit?: number;
  /** The service refuses a user without it. */
  readonly isRequired?: true;
  /** Compared text of a new user whose creation event does not give the field; absent: such an event does not mention it. */
  readonly initial?: string;
  /** How the field is emptied: the compared text of an empty one, and the value that the users API takes for it, if it takes one. */
  readonly empty?: { readonly compared: string; readonly api?: string };
  /** Read from bodies of other programs, and never written. */
  readonly isReadOnly?: true;
}

/**
 * The fields of a human user, in the order of an entry. Entries, requests of the users API, comparisons, event digests, checks and the
 * state file of updates are derived from this table. Metadata are no field: they stand in a list of their own.
 */
export const userFields = [
  { name: "userId", entry: "userId", form: "id", api: "userId" },
  {
    name: "userName",
    compared: "userName",
    entry: "user.userName",
    form: "id",
    api: "username",
    event: "userName",
    limit: serviceLimits.userName,
    isRequired: true,
    initial: "",
  },
  {
    name: "firstName",
    compared: "firstName",
    entry: "user.profile.firstName",
    form: "name",
    api: "profile.givenName",
    event: "firstName",
    limit: serviceLimits.firstName,
    isRequired: true,
  },
  {
    name: "lastName",
    compared: "lastName",
    entry: "user.profile.lastName",
    form: "name",
    api: "profile.familyName",
    event: "lastName",
    limit: serviceLimits.lastName,
    isRequired: true,
  },
  {
    name: "nickName",
    compared: "nickName",
    entry: "user.profile.nickName",
    form: "text",
    api: "profile.nickName",
    event: "nickName",
    limit: serviceLimits.nickName,
    initial: "",
    empty: { compared: "", api: "" },
  },
  {
    name: "displayName",
    compared: "displayName",
    entry: "user.profile.displayName",
    form: "text",
    api: "profile.displayName",
    event: "displayName",
    limit: serviceLimits.displayName,
    empty: { compared: "", api: "" },
  },
  {
    name: "preferredLanguage",
    compared: "preferredLanguage",
    entry: "user.profile.preferredLanguage",
    form: "language",
    api: "profile.preferredLanguage",
    event: "preferredLanguage",
    limit: serviceLimits.preferredLanguage,
    initial: "",
    // An empty language changes nothing (service behaviour 0.28).
    empty: { compared: "", api: "und" },
  },
  {
    name: "gender",
    compared: "gender",
    entry: "user.profile.gender",
    form: "gender",
    api: "profile.gender",
    event: "gender",
    initial: "0",
    empty: { compared: "0", api: "GENDER_UNSPECIFIED" },
  },
  {
    name: "email",
    compared: "email",
    entry: "user.email.email",
    form: "email",
    api: "email.email",
    event: "email",
    isRequired: true,
    initial: "",
  },
  {
    name: "isEmailVerified",
    compared: "isEmailVerified",
    entry: "user.email.isEmailVerified",
    form: "verified",
    of: "email",
    api: "email.isVerified",
    initial: "false",
  },
  {
    name: "phone",
    compared: "phone",
    entry: "user.phone.phone",
    form: "phone",
    api: "phone.phone",
    event: "phone",
    initial: "",
    // The users API removes a number by a call without a body (service behaviour 0.28).
    empty: { compared: "" },
  },
  {
    name: "isPhoneVerified",
    compared: "isPhoneVerified",
    entry: "user.phone.isPhoneVerified",
    form: "verified",
    of: "phone",
    api: "phone.isVerified",
    initial: "false",
    empty: { compared: "false" },
  },
  {
    name: "hash",
    compared: "hash",
    entry: "user.hashedPassword.value",
    form: "hash",
    api: "hashedPassword.hash",
    event: "encodedHash",
    initial: "",
  },
  { name: "password", entry: "user.password", form: "password", api: "password.password", isReadOnly: true },
  {
    name: "requestsPasswordless",
    entry: "user.requestPasswordlessRegistration",
    form: "flag",
    isReadOnly: true,
  },
  {
    name: "isPasswordChangeRequired",
    compared: "passwordChangeRequired",
    entry: "user.passwordChangeRequired",
    form: "flag",
    event: "changeRequired",
    initial: "false",
  },
  {
    name: "otpSecret",
    compared: "otp",
    entry: "user.otpCode",
    form: "secret",
    api: "totpSecret",
    initial: "false",
    empty: { compared: "false" },
  },
  { name: "idpLinks", entry: "user.idps", form: "links", api: "idpLinks" },
  { name: "state", compared: "state", entry: "state", form: "state", initial: "active" },
] as const satisfies readonly UserField[];

type Row = (typeof userFields)[number];
/** The name of a field that orgferry writes into an entry. */
export type WrittenField = Exclude<Row, { readonly isReadOnly: true }>["name"];
/** The name of a compared field. */
export type ComparedField = Extract<Row, { readonly compared: string }>["compared"];
