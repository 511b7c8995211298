import { comparedUserFields, profileFields, type UserView } from "../compared-fields.ts";
import type { Digest } from "../events/digest.ts";
import type { DifferentField, LoggedUser, UserLog } from "../events/user-log.ts";
import type { ComparedField } from "../user-fields.ts";

/** The value that counts if another user changed a field on the target. */
export type Preference = "none" | "source" | "target";

/** The plan for one user of the input. */
export type UserPlan =
  | { readonly kind: "create" }
  | {
      readonly kind: "keep";
      /** Fields to update to the values of the input. */
      readonly fields: readonly ComparedField[];
      /** Fields to leave: changed by another user on the target, or the password of an unfinished user that this job did not create. */
      readonly conflicts: readonly ComparedField[];
      /** Fields that differ, and that no call changes. */
      readonly notUpdated: readonly ComparedField[];
    };

export interface PlanOptions {
  readonly prefer: Preference;
  /** The password that was last set on the source, if only a sign-in has rehashed it since (service behaviour 0.28). */
  readonly givenHash?: Digest | undefined;
  /** The input says that the user has not finished registration. */
  readonly isUnfinished?: boolean | undefined;
}

/**
 * Plans a user: a field that differs is updated if this job's service user set it last, or if it was never changed. If another user changed
 * it, it is a conflict, unless the source is preferred.
 */
export function planUser(
  log: UserLog,
  user: LoggedUser | undefined,
  wanted: UserView,
  { prefer, givenHash, isUnfinished = false }: PlanOptions,
): UserPlan {
  if (user?.isThere !== true) return { kind: "create" };
  const isSamePassword = givenHash !== undefined && log.hasHash(user, givenHash);
  const all = log.differences(user, wanted).filter(({ field }) => !(field === "hash" && isSamePassword));
  const hasOtherHash = all.some(({ field }) => field === "hash");
  // A call that requires a change of the password sets the password (service behaviour 0.38).
  const canBeSet = (wanted.hash ?? "") !== "" && !isSamePassword;
  const isToBeSet = canBeSet && (hasOtherHash || !user.isInitial);
  const isChange = ({ field }: DifferentField): boolean => field === "passwordChangeRequired";
  const isLeft = (one: DifferentField): boolean => one.field === "otp" || (isChange(one) && !isToBeSet);
  const different = all.filter((one) => !isLeft(one) && !(one.field === "hash" && wanted.hash === ""));
  const without = withoutVerified(different, wanted);
  const conflicts = new Set(prefer === "source" ? [] : conflictsOf(without));
  const ofAddress = without.map(({ field }) => field).filter((field) => OF_ADDRESS.includes(field));
  if (ofAddress.length > 0 && conflicts.has("userName") && isAddressOfOther(log, user, wanted))
    for (const field of ofAddress) conflicts.add(field);
  // Before the user has finished registration, the service takes a password only after a lock (service behaviour 0.28). A lock and an unlock
  // that the input does not ask for are made only for users that this job's service user created.
  const needsPassword = user.isInitial && without.some(({ field }) => field === "hash");
  if (needsPassword && !user.isOurs && !isToBeLocked(without, wanted)) conflicts.add("hash");
  // Another password stays, which need not be changed.
  const isOfOther = (field: ComparedField): boolean => field === "passwordChangeRequired" && conflicts.has("hash");
  const fields = without.map(({ field }) => field).filter((field) => !conflicts.has(field) && !isOfOther(field));
  const more = { prefer, hasHash: log.hasOwnHash(user), getsHash: fields.includes("hash") };
  const finishing = isUnfinished ? undefined : finishingOf(user, wanted, conflicts, more);
  if (isLeftLocked(user, wanted, hasOtherHash) || finishing === "due") fields.push("state");
  // The lock that ends an unfinished registration lets the password be set, too.
  const change = user.isInitial && fields.includes("state") && canBeSet ? all.find(isChange) : undefined;
  const isSet = change !== undefined && !isToBeSet && !isOfOther(change.field);
  if (isSet && change.isForeign && prefer !== "source") conflicts.add(change.field);
  else if (isSet) fields.push(change.field);
  // One-time codes that the user has set up on the target are the user's own.
  const isOwnOtp = ({ field, isForeign }: DifferentField): boolean =>
    field === "otp" && isForeign && wanted.otp === "false";
  const isSettled = (one: DifferentField): boolean => isChange(one) && one.isForeign && prefer === "target";
  const left = all.filter((one) => isLeft(one) && !isSettled(one) && !isOwnOtp(one) && !(isSet && isChange(one)));
  const verified = different.filter(
    (one) => !one.isForeign && isVerified(one) && !without.includes(one) && !different.some(isOf(one)),
  );
  const notUpdated = [...left, ...verified].map(({ field }) => field);
  if (finishing === "unsaid") notUpdated.push("state");
  return { kind: "keep", fields, conflicts: [...conflicts].filter((field) => !isOfOther(field)), notUpdated };
}

function isVerified({ field }: DifferentField): boolean {
  return field === "isEmailVerified" || field === "isPhoneVerified";
}

/** True for the address or number of a verification. */
function isOf({ field: verified }: DifferentField): (one: DifferentField) => boolean {
  return ({ field }) => field === (verified === "isEmailVerified" ? "email" : "phone");
}

const OF_ADDRESS: readonly ComparedField[] = ["email", "isEmailVerified"];

/** The new address is a user name that stays with another user: messages would reach that user. */
function isAddressOfOther(log: UserLog, user: LoggedUser, { userName = "", email = "" }: UserView): boolean {
  return userName !== "" && userName.toLowerCase() === email.toLowerCase() && log.hasOtherOfName(user, userName);
}

/**
 * A lock that the input asks for, or a deactivation, which needs one, ends the state in which no password can be set. A password that was left before the lock would be no
 * conflict after it: the next run, or a resumed one, would write what this run reported as left.
 */
function isToBeLocked(different: readonly DifferentField[], { state }: UserView): boolean {
  return (state === "locked" || state === "inactive") && different.some(({ field }) => field === "state");
}

/**
 * Locked for a password by a run that was killed before the unlock. The password is set after the unlock, so a user who has the password
 * of the input was locked at the creation, and stays so. An input that names a state needs no rule: the state differs.
 */
export function isLeftLocked(
  { isLockedUnfinished }: LoggedUser,
  { state, hash = "" }: UserView,
  hasOtherHash: boolean,
): boolean {
  return isLockedUnfinished && state === undefined && hash !== "" && hasOtherHash;
}

/**
 * Of a user who has not finished registration although the address is verified: the login page asks such a user for the code of the first e-mail
 * (service behaviour 9.45). "due": a lock and an unlock end that. "unsaid": there is a password, and the input does
 * not say that the user is active, or another account created the user. Then nothing is done: after a run that is killed between the lock and the unlock, no state would differ,
 * unless the source is preferred, which makes users without a state active.
 */
function finishingOf(
  { isInitial, isOurs }: LoggedUser,
  { state, isEmailVerified, hash = "" }: UserView,
  conflicts: ReadonlySet<ComparedField>,
  { prefer, hasHash, getsHash }: Pick<PlanOptions, "prefer"> & Readonly<Record<"hasHash" | "getsHash", boolean>>,
): "due" | "unsaid" | undefined {
  const isLeft = ["hash", "email", "isEmailVerified"].some((field) => conflicts.has(field as ComparedField));
  if (!isInitial || isEmailVerified !== "true" || isLeft) return undefined;
  if (state === "active") return isOurs || prefer === "source" ? "due" : "unsaid";
  // A password comes with a lock and an unlock.
  if (state !== undefined || getsHash) return undefined;
  if (prefer === "source") return "due";
  return hash !== "" || hasHash ? "unsaid" : undefined;
}

/** A verified address or number cannot become unverified (tried), and need not. */
export function withoutVerified<F extends { readonly field: string }>(
  different: readonly F[],
  wanted: UserView,
): readonly F[] {
  const has = (wantedField: ComparedField): boolean => different.some(({ field }) => field === wantedField);
  return different.filter(({ field }) => {
    if (field === "isEmailVerified") return has("email") || wanted.isEmailVerified === "true";
    if (field === "isPhoneVerified") return has("phone") ? wanted.phone !== "" : wanted.isPhoneVerified === "true";
    return true;
  });
}

/** The fields that another user has changed, with those that can only be changed together with them. */
function conflictsOf(different: readonly DifferentField[]): readonly ComparedField[] {
  const isForeign = (wanted: ComparedField): boolean | undefined =>
    different.find(({ field }) => field === wanted)?.isForeign;
  // Every change of a profile sends both names.
  const hasForeignName = isForeign("firstName") === true || isForeign("lastName") === true;
  const isConflict = ({ field, isForeign: isOwn }: DifferentField): boolean => {
    // Verification belongs to the address or number.
    if (field === "isEmailVerified") return isForeign("email") ?? isOwn;
    if (field === "isPhoneVerified") return isForeign("phone") ?? isOwn;
    return isOwn || (profileFields.has(field) && hasForeignName);
  };
  return different.filter(isConflict).map(({ field }) => field);
}

/**
 * The view of an entry of an export, in which an absent number or nickname means that the user has none. In a body, it means nothing.
 */
export function wholeView(view: UserView): UserView {
  const { hash, ...rest } = view;
  const none = comparedUserFields.flatMap(({ compared, empty }) =>
    empty === undefined ? [] : [[compared, empty.compared] as const],
  );
  return { ...Object.fromEntries(none), ...rest, ...(hash === undefined || hash === "" ? {} : { hash }) };
}
