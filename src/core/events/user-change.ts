import { keptLanguage, keptPhone } from "../compare/user-view.ts";
import { comparedUserFields, isOfProfile, type UserView } from "../compared-fields.ts";
import { fieldsOf, member, textMember } from "../json/members.ts";
import type { FieldForm } from "../user-fields.ts";

/** What one event changes of a user. */
export type UserChange =
  | { readonly kind: "added"; readonly view: UserView }
  | { readonly kind: "changed"; readonly view: UserView }
  /** A sign-in has hashed the same password again: both hashes are of it. */
  | { readonly kind: "rehashed"; readonly hash: string }
  | { readonly kind: "mailed" }
  | { readonly kind: "removed" };

/** What an event changes of a user; undefined for one that changes nothing that is compared (service behaviour 0.19a, 0.28). */
export function changeOf(type: string, payload: unknown): UserChange | undefined {
  return readers[type]?.(payload);
}

/** The set-up of one-time codes of an app was confirmed. */
export const OTP_VERIFIED = "user.human.mfa.otp.verified";
export const OTP_REMOVED = "user.human.mfa.otp.removed";

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
    changed({ phone: keptPhone(text(payload, "phone")), isPhoneVerified: "false" }),
  "user.human.phone.verified": () => changed({ isPhoneVerified: "true" }),
  "user.human.phone.removed": () => changed({ phone: "", isPhoneVerified: "false" }),
  "user.human.password.hash.updated": (payload) => ({ kind: "rehashed", hash: hashOf(payload) }),
  "user.human.password.changed": (payload) =>
    changed({ hash: hashOf(payload) || UNKNOWN_HASH, passwordChangeRequired: mustChange(payload) ? "true" : "false" }),
  // Until the set-up is confirmed, the user signs in without codes; an import confirms it (service behaviour 0.6).
  [OTP_VERIFIED]: () => changed({ otp: "true" }),
  [OTP_REMOVED]: () => changed({ otp: "false" }),
  "user.locked": () => changed({ state: "locked" }),
  "user.unlocked": () => changed({ state: "active" }),
  "user.deactivated": () => changed({ state: "inactive" }),
  "user.reactivated": () => changed({ state: "active" }),
  // It makes a user active who was deactivated or locked (service behaviour 9.45).
  "user.human.initialization.check.succeeded": () => changed({ state: "active" }),
  "user.human.initialization.code.added": mailed,
  // It is sent as soon as it is added, and so are the others.
  "user.human.email.code.added": mailed,
  "user.human.password.code.added": mailed,
  "user.human.invite.code.added": mailed,
};

/** The types of the events that are compared: one search takes at most 30 types (service behaviour 0.19). */
export const comparedEventTypes: readonly string[] = Object.keys(readers);

/** The user has a password, and the event does not give its hash. */
const UNKNOWN_HASH = "?";

function changed(view: UserView): UserChange {
  return { kind: "changed", view };
}

/** A code that the caller of the API gets back is sent to no address. */
function mailed(payload: unknown): UserChange | undefined {
  return isCodeReturned(payload) ? undefined : { kind: "mailed" };
}

export function isCodeReturned(payload: unknown): boolean {
  return member(fieldsOf(payload), "codeReturned") === true;
}

function added(payload: unknown): UserChange {
  const initial = comparedUserFields.flatMap(({ compared, initial: text }) =>
    text === undefined ? [] : [[compared, text] as const],
  );
  return { kind: "added", view: { ...Object.fromEntries(initial), ...viewOfPayload(payload, () => true) } };
}

/** The fields of a profile that an event names. */
function profileOf(payload: unknown): UserView {
  return viewOfPayload(payload, isOfProfile);
}

function viewOfPayload(payload: unknown, wants: (field: (typeof comparedUserFields)[number]) => boolean): UserView {
  const view: { -readonly [Field in keyof UserView]: string } = {};
  for (const field of comparedUserFields) {
    if (field.event === undefined || !wants(field)) continue;
    const text = textsOfEvent[field.form]?.(member(fieldsOf(payload), field.event), payload);
    if (text !== undefined) view[field.compared] = text;
  }
  return view;
}

/** The compared text of a member of a payload, by the form of its field; undefined where the payload does not give it. */
const textsOfEvent: Readonly<Partial<Record<FieldForm, (value: unknown, payload: unknown) => string | undefined>>> = {
  id: givenText,
  email: givenText,
  text: givenText,
  // The users API trims the names of a new user, the import endpoint does not (service behaviour 0.34).
  name: (value) => givenText(value)?.trim(),
  language: (value) => (typeof value === "string" ? keptLanguage(value) : undefined),
  // An unspecified gender is -1 (tried).
  gender: (value) => (typeof value === "number" ? String(Math.max(0, value)) : undefined),
  phone: (value) => (typeof value === "string" ? keptPhone(value) : undefined),
  hash: (_, payload) => hashOf(payload),
  flag: (value) => (value === true ? "true" : undefined),
};

/** The password of this event is to be changed at the next sign-in (service behaviour 0.38). */
export function mustChange(payload: unknown): boolean {
  return member(fieldsOf(payload), "changeRequired") === true;
}

/** The hash of a payload, "" without one. Older events hold it as a secret, in base64 (service behaviour 0.62). */
export function hashOf(payload: unknown): string {
  const hash = text(payload, "encodedHash");
  return hash === "" ? Buffer.from(text(member(fieldsOf(payload), "secret"), "Crypted"), "base64").toString() : hash;
}

function givenText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function text(payload: unknown, name: string): string {
  return textMember(fieldsOf(payload), name);
}
