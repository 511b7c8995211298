import { languageOf } from "../rules/language.ts";
import { phoneOf } from "../rules/phone.ts";

/**
 * What is compared of a human user, by the names that people read. A field that one side says nothing of is no difference: a body
 * that gives no phone does not ask for there to be none.
 */
export const comparedFields = [
  "userName",
  "email",
  "isEmailVerified",
  "firstName",
  "lastName",
  "nickName",
  "displayName",
  "preferredLanguage",
  "gender",
  "phone",
  "isPhoneVerified",
  "hash",
  "otp",
  "state",
] as const;
export type ComparedField = (typeof comparedFields)[number];

/** A user, or a part of one, as texts. An empty text is "none"; an absent field is "not said". */
export type UserView = { readonly [Field in ComparedField]?: string };

/** What an entry of `humanUsers` asks for. Names of fields may be in camel or snake case (service behaviour 1). */
export function viewOfEntry(entry: unknown): UserView {
  const user = member(entry, "user");
  const [profile, email, phone] = [member(user, "profile"), member(user, "email"), member(user, "phone")];
  const number = numberOf(text(phone, "phone"));
  const hash = text(member(user, "hashedPassword"), "value");
  const state = states[text(entry, "state")];
  const gender = genders.indexOf(text(profile, "gender"));
  return {
    userName: text(user, "userName").trim(),
    email: text(email, "email").trim(),
    isEmailVerified: flag(email, "isEmailVerified"),
    firstName: text(profile, "firstName").trim(),
    lastName: text(profile, "lastName").trim(),
    ...given("nickName", text(profile, "nickName")),
    ...given("displayName", text(profile, "displayName")),
    ...given("preferredLanguage", tagOf(text(profile, "preferredLanguage"))),
    ...(gender > 0 ? { gender: String(gender) } : {}),
    ...(number === "" ? {} : { phone: number, isPhoneVerified: flag(phone, "isPhoneVerified") }),
    // The hash of a plain password is the service's own.
    ...(hash === "" && text(user, "password") !== "" ? {} : { hash }),
    ...(text(user, "otpCode") === "" ? {} : { otp: "true" }),
    ...(state === undefined ? {} : { state }),
  };
}

/** By number, as events have them (tried: an unspecified one is -1). */
const genders = ["GENDER_UNSPECIFIED", "GENDER_FEMALE", "GENDER_MALE", "GENDER_DIVERSE"];

/** The states that an import can make (service behaviour 0.19b). */
const states: Readonly<Record<string, string>> = {
  USER_STATE_ACTIVE: "active",
  USER_STATE_INACTIVE: "inactive",
  USER_STATE_LOCKED: "locked",
};

/** What a user's record is changed to, bit by bit; the event log of a user is a row of them. */
export type UserChange =
  | { readonly kind: "added"; readonly view: UserView }
  | { readonly kind: "changed"; readonly view: UserView }
  | { readonly kind: "mailed" }
  | { readonly kind: "removed" };

/** What an event says of a user; undefined for one that says nothing that is compared (service behaviour 0.19a, 0.28). */
export function changeOf(type: string, payload: unknown): UserChange | undefined {
  const read = readers[type];
  return read === undefined ? undefined : read(payload);
}

const readers: Readonly<Record<string, (payload: unknown) => UserChange | undefined>> = {
  "user.human.added": added,
  "user.human.selfregistered": added,
  "user.added": added,
  "user.selfregistered": added,
  "user.removed": () => ({ kind: "removed" }),
  "user.username.changed": (payload) => changed({ userName: text(payload, "userName") }),
  "user.domain.claimed": (payload) => changed({ userName: text(payload, "userName") }),
  "user.human.profile.changed": (payload) => changed(profileOf(payload)),
  "user.human.email.changed": (payload) => changed({ email: text(payload, "email"), isEmailVerified: "false" }),
  "user.human.email.verified": () => changed({ isEmailVerified: "true" }),
  "user.human.phone.changed": (payload) =>
    changed({ phone: numberOf(text(payload, "phone")), isPhoneVerified: "false" }),
  "user.human.phone.verified": () => changed({ isPhoneVerified: "true" }),
  "user.human.phone.removed": () => changed({ phone: "", isPhoneVerified: "false" }),
  // A re-hash at sign-in (user.human.password.hash.updated) is no change of the password and is not asked for.
  "user.human.password.changed": (payload) => changed({ hash: hashOf(payload) || UNKNOWN_HASH }),
  "user.human.mfa.otp.added": () => changed({ otp: "true" }),
  "user.human.mfa.otp.removed": () => changed({ otp: "false" }),
  "user.locked": () => changed({ state: "locked" }),
  "user.unlocked": () => changed({ state: "active" }),
  "user.deactivated": () => changed({ state: "inactive" }),
  "user.reactivated": () => changed({ state: "active" }),
  "user.human.initialization.code.added": mailed,
  "user.human.initialization.code.sent": mailed,
  "user.human.email.code.added": mailed,
  "user.human.email.code.sent": mailed,
  "user.human.invite.code.added": mailed,
};

/** The types of the events that are compared: at most 30 may be asked for at once (service behaviour 0.19). */
export const comparedEventTypes: readonly string[] = Object.keys(readers);

/** There is a password, and its hash is not told. */
const UNKNOWN_HASH = "?";

function changed(view: UserView): UserChange {
  return { kind: "changed", view };
}

/** A code that was handed to the caller of the API went to nobody's mailbox. */
function mailed(payload: unknown): UserChange | undefined {
  const returned = member(payload, "code_returned") === true || member(payload, "codeReturned") === true;
  return returned ? undefined : { kind: "mailed" };
}

function added(payload: unknown): UserChange {
  const none = { nickName: "", preferredLanguage: "", gender: "0", isEmailVerified: "false", isPhoneVerified: "false" };
  const phone = numberOf(text(payload, "phone"));
  const view: UserView = {
    ...none,
    ...profileOf(payload),
    userName: text(payload, "userName"),
    email: text(payload, "email"),
    phone,
    hash: hashOf(payload),
    otp: "false",
    state: "active",
  };
  return { kind: "added", view };
}

/** The fields of a profile that an event names. */
function profileOf(payload: unknown): UserView {
  const gender = member(payload, "gender");
  return {
    ...trimmed(named(payload, "firstName")),
    ...trimmed(named(payload, "lastName")),
    ...named(payload, "nickName"),
    ...named(payload, "displayName"),
    ...(typeof member(payload, "preferredLanguage") === "string"
      ? { preferredLanguage: tagOf(text(payload, "preferredLanguage")) }
      : {}),
    ...(typeof gender === "number" ? { gender: String(Math.max(0, gender)) } : {}),
  };
}

/** Older events have the hash as a secret of its own, in base64. */
function hashOf(payload: unknown): string {
  const hash = text(payload, "encodedHash");
  return hash === "" ? Buffer.from(text(member(payload, "secret"), "Crypted"), "base64").toString() : hash;
}

function named(payload: unknown, field: "firstName" | "lastName" | "nickName" | "displayName"): UserView {
  const value = member(payload, field);
  return typeof value === "string" ? { [field]: value } : {};
}

/** The users API takes away the spaces around the names of somebody new, the import endpoint does not (service behaviour 0.34). */
function trimmed(view: UserView): UserView {
  return Object.fromEntries(Object.entries(view).map(([field, value]) => [field, value.trim()]));
}

function given(field: ComparedField, value: string): UserView {
  return value === "" ? {} : { [field]: value };
}

/** In the form that the service keeps; one that it would not read stays as it is. */
function numberOf(value: string): string {
  return phoneOf(value) ?? value;
}

/** As the service keeps it, which is none for one that it does not know. */
function tagOf(value: string): string {
  return value === "und" ? "" : (languageOf(value) ?? "");
}

function flag(holder: unknown, name: string): string {
  return member(holder, name) === true ? "true" : "false";
}

function text(holder: unknown, name: string): string {
  const value = member(holder, name);
  return typeof value === "string" ? value : "";
}

function member(holder: unknown, name: string): unknown {
  if (typeof holder !== "object" || holder === null) return undefined;
  const fields = holder as Readonly<Record<string, unknown>>; // checked above; read by name
  return fields[name] ?? fields[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];
}
