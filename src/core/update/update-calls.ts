import { comparedUserFields, isOfProfile, type UserView } from "../compared-fields.ts";
import type { UserState } from "../events/user-log.ts";
import { type Fields, memberAt, putAt } from "../json/members.ts";
import type { ComparedField, FieldForm } from "../user-fields.ts";

/** A call that changes the state of a user. */
export type StateStep = "lock" | "unlock" | "deactivate" | "reactivate";

/** The fields that a call which sets a password changes. */
export function isOfPassword(field: string): boolean {
  return field === "hash" || field === "passwordChangeRequired";
}

/** The calls that update a user, in this order. */
export interface UpdateCalls {
  /** The body of `PUT /v2/users/human/{id}`: only what differs. */
  readonly put?: Fields;
  readonly removesPhone: boolean;
  readonly states: readonly StateStep[];
  /** The states are made for a password, old or new: each only while no other user changes the user. */
  readonly isForPassword: boolean;
  /** The body of a second `PUT`, after the states: a password that the service takes only then. */
  readonly lastPut?: Fields;
}

/** A user on the target before the calls, and the way in which they are made. */
export interface CallOptions {
  readonly from: UserState;
  /** The user has not finished registration: the service takes a password only after a lock (service behaviour 0.28). */
  readonly isInitial: boolean;
  /** This job's service user has locked such a user. */
  readonly isLockedUnfinished: boolean;
  readonly noMail: boolean;
}

/** The forms of fields that a `PUT` gives as the entry does. */
const COPIED: ReadonlySet<FieldForm> = new Set(["name", "text", "language", "gender"]);
const copied = comparedUserFields.flatMap((field) =>
  field.api === undefined || !COPIED.has(field.form)
    ? []
    : [{ ...field, entry: field.entry.split("."), api: field.api.split("."), isOfProfile: isOfProfile(field) }],
);

/**
 * The calls for these fields of an entry of `humanUsers` (service behaviour 0.28). What is not mentioned stays; a profile always needs
 * both names. With `noMail`, and for a user who is inactive or locked, the service returns the code for an unverified address in place of
 * sending it.
 */
export function toUpdateCalls(
  entry: unknown,
  wanted: UserView,
  fields: readonly ComparedField[],
  { from, isInitial, isLockedUnfinished, noMail }: CallOptions,
): UpdateCalls {
  const has = (field: ComparedField): boolean => fields.includes(field);
  const proof = noMail || isClosedAfter(wanted, fields, from) ? { returnCode: {} } : { sendCode: {} };
  const setsPassword = fields.some(isOfPassword);
  const change = wanted.passwordChangeRequired === "true" ? { changeRequired: true } : {};
  const password: Fields = setsPassword ? { password: { hashedPassword: { hash: wanted.hash, ...change } } } : {};
  const removesPhone = has("phone") && wanted.phone === "";
  const put: Fields = {
    ...(has("userName") ? { username: wanted.userName } : {}),
    ...copiedFields(entry, fields),
    ...(has("email") || has("isEmailVerified")
      ? { email: { email: wanted.email, ...(wanted.isEmailVerified === "true" ? VERIFIED : proof) } }
      : {}),
    ...((has("phone") || has("isPhoneVerified")) && !removesPhone
      ? { phone: { phone: wanted.phone, ...(wanted.isPhoneVerified === "true" ? VERIFIED : proof) } }
      : {}),
    ...(isInitial || isLockedUnfinished ? {} : password),
  };
  const to = wanted.state ?? "active";
  // A user who has not finished registration and is to be active: a lock and an unlock end that state.
  const isFinished = isInitial && has("state") && to === "active";
  const isForPassword = (isInitial && setsPassword) || isFinished || isLockedUnfinished;
  const needsLock = isInitial && (setsPassword || has("state"));
  const states = needsLock ? stepsOfUnfinished(to) : has("state") ? stepsTo(to, from) : [];
  return {
    ...(Object.keys(put).length === 0 ? {} : { put }),
    removesPhone,
    states,
    isForPassword,
    ...(isForPassword && setsPassword ? { lastPut: password } : {}),
  };
}

const VERIFIED = { isVerified: true };

/** True for a user who is inactive or locked after an update of these fields: such a user gets no code. */
export function isClosedAfter(
  { state = "active" }: UserView,
  fields: readonly ComparedField[],
  from: UserState,
): boolean {
  return (fields.includes("state") ? state : from) !== "active";
}

/** The changed fields, and with a field of the profile both names; an empty one by the value that empties it. */
function copiedFields(entry: unknown, fields: readonly ComparedField[]): Fields {
  const changed = copied.filter(({ compared }) => fields.includes(compared));
  const hasProfile = changed.some((field) => field.isOfProfile);
  const given: Record<string, unknown> = {};
  for (const field of copied) {
    const isNeeded = hasProfile && field.isOfProfile && field.isRequired === true;
    if (!isNeeded && !changed.includes(field)) continue;
    const value = memberAt(entry, field.entry);
    putAt(given, field.api, typeof value === "string" && value !== "" ? value : (field.empty?.api ?? ""));
  }
  return given;
}

/**
 * A user who has not finished registration can be deactivated, and gets a password, only after a lock (service behaviour 0.19b, 0.28). The
 * unlock comes before the password: a run that is killed in between leaves a user who can be updated like any other.
 */
function stepsOfUnfinished(to: string): readonly StateStep[] {
  if (to === "locked") return ["lock"];
  return ["lock", to === "inactive" ? "deactivate" : "unlock"];
}

/** The service neither locks nor unlocks an inactive user; it deactivates a locked one (tried). */
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
