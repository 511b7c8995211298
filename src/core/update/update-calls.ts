import type { ComparedField, UserView } from "../compare/user-view.ts";
import { type Fields, fieldsOf, member, textMember } from "../json/members.ts";
import type { UserState } from "./user-log.ts";

/** A call that changes the state of a user. */
export type StateStep = "lock" | "unlock" | "deactivate" | "reactivate";

/** The calls that bring a user to what the input says, in this order. */
export interface UpdateCalls {
  /** The body of `PUT /v2/users/human/{id}`: only what differs. */
  readonly put?: Fields;
  readonly removesPhone: boolean;
  readonly states: readonly StateStep[];
  /** The body of a second `PUT`, after the states: a password that the service takes only then. */
  readonly lastPut?: Fields;
}

/** What a user is on the target before the calls, and how they are made. */
export interface CallOptions {
  readonly from: UserState;
  /** Has never finished: no password is taken before a lock (service behaviour 0.28). */
  readonly isInitial: boolean;
  readonly noMail: boolean;
}

const profileMembers = {
  nickName: "nickName",
  displayName: "displayName",
  preferredLanguage: "preferredLanguage",
  gender: "gender",
} as const;
const NAMES: ReadonlySet<ComparedField> = new Set(["firstName", "lastName"]);

/**
 * The calls for these fields of an entry of `humanUsers` (service behaviour 0.28). What is not mentioned stays; of a profile both names
 * must always be given. With `noMail`, the code for an address that is not verified goes to nobody.
 */
export function toUpdateCalls(
  entry: unknown,
  wanted: UserView,
  fields: readonly ComparedField[],
  { from, isInitial, noMail }: CallOptions,
): UpdateCalls {
  const user = fieldsOf(member(fieldsOf(entry), "user"));
  const has = (field: ComparedField): boolean => fields.includes(field);
  const proof = noMail ? { returnCode: {} } : { sendCode: {} };
  const password: Fields = has("hash") ? { password: { hashedPassword: { hash: wanted.hash } } } : {};
  const removesPhone = has("phone") && wanted.phone === "";
  const put: Fields = {
    ...(has("userName") ? { username: wanted.userName } : {}),
    ...profileOf(user, fields),
    ...(has("email") || has("isEmailVerified")
      ? { email: { email: wanted.email, ...(wanted.isEmailVerified === "true" ? VERIFIED : proof) } }
      : {}),
    ...((has("phone") || has("isPhoneVerified")) && !removesPhone
      ? { phone: { phone: wanted.phone, ...(wanted.isPhoneVerified === "true" ? VERIFIED : proof) } }
      : {}),
    ...(isInitial ? {} : password),
  };
  const states = has("state") ? stepsTo(wanted.state ?? "active", from) : [];
  return {
    ...(Object.keys(put).length === 0 ? {} : { put }),
    removesPhone,
    states,
    ...(isInitial && has("hash") ? { lastPut: password } : {}),
  };
}

const VERIFIED = { isVerified: true };

function profileOf(user: Fields, fields: readonly ComparedField[]): Fields {
  const others = fields.filter((field): field is keyof typeof profileMembers => Object.hasOwn(profileMembers, field));
  if (others.length === 0 && !fields.some((field) => NAMES.has(field))) return {};
  const profile = fieldsOf(member(user, "profile"));
  const given = others.map((field) => [field, textMember(profile, profileMembers[field]) || noneOf(field)]);
  return {
    profile: {
      givenName: textMember(profile, "firstName"),
      familyName: textMember(profile, "lastName"),
      ...Object.fromEntries(given),
    },
  };
}

/** What empties a field: to a language that is "" nothing is done (service behaviour 0.28). */
function noneOf(field: keyof typeof profileMembers): string {
  if (field === "preferredLanguage") return "und";
  return field === "gender" ? "GENDER_UNSPECIFIED" : "";
}

/** Somebody inactive can neither be locked nor unlocked; somebody locked can be deactivated (tried). */
function stepsTo(to: string, from: UserState): readonly StateStep[] {
  switch (to) {
    case "locked":
      return from === "inactive" ? ["reactivate", "lock"] : ["lock"];
    case "inactive":
      return ["deactivate"];
    default:
      return from === "locked" ? ["unlock"] : ["reactivate"];
  }
}
