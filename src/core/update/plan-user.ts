import { comparedUserFields, isOfProfile, type UserView } from "../compared-fields.ts";
import type { Digest } from "../events/digest.ts";
import type { DifferentField, LoggedUser, UserLog } from "../events/user-log.ts";
import type { ComparedField } from "../user-fields.ts";

/** Whose value counts where somebody else changed it on the target. */
export type Preference = "none" | "source" | "target";

/** What is to become of one user of the input. */
export type UserPlan =
  | { readonly kind: "create" }
  | {
      readonly kind: "keep";
      /** To be brought to what the input says. */
      readonly fields: readonly ComparedField[];
      /** Left as they are: changed by another user on the target, or a password that the service does not take (service behaviour 0.28). */
      readonly conflicts: readonly ComparedField[];
    };

export interface PlanOptions {
  readonly prefer: Preference;
  /** The password that the source was last given, where a sign-in has only hashed it anew since (service behaviour 0.28). */
  readonly givenHash?: Digest | undefined;
}

/**
 * Decides what becomes of a user: what differs and was last set by this job's service user, or with the user itself, is changed; what
 * somebody else has changed since is a conflict, unless the source is preferred.
 */
export function planUser(
  log: UserLog,
  user: LoggedUser | undefined,
  wanted: UserView,
  { prefer, givenHash }: PlanOptions,
): UserPlan {
  if (user?.isThere !== true) return { kind: "create" };
  const isSamePassword = givenHash !== undefined && log.hasHash(user, givenHash);
  const different = log
    .differences(user, wanted)
    .filter(({ field }) => canBeChanged(field, wanted) && !(field === "hash" && isSamePassword));
  const without = withoutVerified(different, wanted);
  const conflicts = new Set(prefer === "source" ? [] : conflictsOf(without));
  // Before the user has finished registration, the service takes a password only after a lock (service behaviour 0.28). Deleting and
  // recreating the user would set it as well, but where the second call fails, the user is lost: an update never does that.
  const needsPassword = user.isInitial && without.some(({ field }) => field === "hash");
  if (needsPassword && !isToBeLocked(without, wanted)) conflicts.add("hash");
  const fields = without.map(({ field }) => field).filter((field) => !conflicts.has(field));
  return { kind: "keep", fields, conflicts: [...conflicts] };
}

/**
 * A lock that the input asks for ends the state in which no password can be set. What was left before it would be no conflict any more
 * after it, so that the next run, or the same job when it is gone on with, would write what this one said to be left.
 */
function isToBeLocked(different: readonly DifferentField[], { state }: UserView): boolean {
  return state === "locked" && different.some(({ field }) => field === "state");
}

/** A second factor has no call of its own; no call takes a password away. */
function canBeChanged(field: ComparedField, wanted: UserView): boolean {
  return field !== "otp" && !(field === "hash" && wanted.hash === "");
}

/** That the same address or number was verified cannot be taken back (tried), and need not be. */
function withoutVerified(different: readonly DifferentField[], wanted: UserView): readonly DifferentField[] {
  const has = (wantedField: ComparedField): boolean => different.some(({ field }) => field === wantedField);
  return different.filter(({ field }) => {
    if (field === "isEmailVerified") return has("email") || wanted.isEmailVerified === "true";
    if (field === "isPhoneVerified") return has("phone") ? wanted.phone !== "" : wanted.isPhoneVerified === "true";
    return true;
  });
}

const PROFILE = new Set(comparedUserFields.filter(isOfProfile).map(({ compared }) => compared));

/** The fields that somebody else has changed, with those that can be changed only along with them. */
function conflictsOf(different: readonly DifferentField[]): readonly ComparedField[] {
  const isForeign = (wanted: ComparedField): boolean | undefined =>
    different.find(({ field }) => field === wanted)?.isForeign;
  // Every change of a profile says both names.
  const hasForeignName = isForeign("firstName") === true || isForeign("lastName") === true;
  const isConflict = ({ field, isForeign: isOwn }: DifferentField): boolean => {
    // Whether it is verified belongs to the address.
    if (field === "isEmailVerified") return isForeign("email") ?? isOwn;
    if (field === "isPhoneVerified") return isForeign("phone") ?? isOwn;
    return isOwn || (PROFILE.has(field) && hasForeignName);
  };
  return different.filter(isConflict).map(({ field }) => field);
}

/**
 * What an entry of an export asks for: all of it, so that a number or a nickname that is not there shall not be there. A body says
 * nothing of what it does not mention.
 */
export function wholeView(view: UserView): UserView {
  const { hash, ...rest } = view;
  const none = comparedUserFields.flatMap(({ compared, empty }) =>
    empty === undefined ? [] : [[compared, empty.compared] as const],
  );
  return { ...Object.fromEntries(none), ...rest, ...(hash === undefined || hash === "" ? {} : { hash }) };
}
