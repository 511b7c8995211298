import { profileFields, type UserView } from "../compared-fields.ts";
import { metadataField } from "../events/edit-log.ts";
import type { DifferentField, LoggedUser, UserLog } from "../events/user-log.ts";
import type { ComparedField } from "../user-fields.ts";
import { isLeftLocked, wholeView } from "./plan-user.ts";

/**
 * What this account gave a user, and a body lacks: names of fields, `metadata.<key>` for metadata. It stays: a body does not say that a user
 * has none. Values that others have set since, such as the user, are theirs, and are not among them. Of a user of another account, only a
 * state that this account has set. Names for which others stand in the body are always among them.
 *
 * @param keys of metadata that this account set and the body lacks.
 */
export function lackedByBody(
  given: UserView,
  existing: LoggedUser,
  users: UserLog,
  keys: readonly string[],
): readonly string[] {
  const hasOtherHash = users.differences(existing, { hash: given.hash ?? "" }).length > 0;
  const whole: UserView = {
    state: "active",
    otp: "false",
    // It belongs to the password.
    ...(hasOtherHash ? {} : { passwordChangeRequired: "false" }),
    ...wholeView(given),
  };
  const isMade = (field: ComparedField): boolean => field === "displayName" && users.isNamedByNames(existing);
  const isLacking = ({ field, isForeign }: DifferentField): boolean =>
    given[field] === undefined &&
    !isForeign &&
    field !== "isPhoneVerified" &&
    !isMade(field) &&
    // This run ends the lock that a killed run made for a password.
    !(field === "state" && isLeftLocked(existing, given, hasOtherHash));
  const fields = users.differences(existing, whole).flatMap((one) => (isLacking(one) ? [one.field] : []));
  const names = substitutedNames(given, existing, users);
  if (!existing.isOurs) return [...names, ...fields.filter((field) => field === "state")];
  const lacksHash = (given.hash ?? "") === "" && users.hasOwnHash(existing);
  return [...names, ...fields, ...(lacksHash ? ["hash"] : []), ...keys.map(metadataField)];
}

/**
 * The fields of the profile that differ, if the input has no true names and the user has: one name stands for both, and the user has it as
 * one of two, or the user name or the address stands for both. A call that changes a profile needs both names, so none of the profile is changed.
 */
export function substitutedNames(read: UserView, existing: LoggedUser, users: UserLog): readonly ComparedField[] {
  const { firstName = "", lastName = "", userName, email } = read;
  const different = users.differences(existing, read).map(({ field }) => field);
  const isName = (field: ComparedField): boolean => field === "firstName" || field === "lastName";
  const names = different.filter(isName);
  if (firstName !== lastName || firstName === "" || names.length === 0 || users.hasOneName(existing)) return [];
  const isOfUser = firstName === userName || firstName === email;
  return isOfUser || names.length === 1 ? different.filter((field) => profileFields.has(field)) : [];
}

/** True for a user that another account locked or deactivated, if the input has no state. No update opens such a user. */
export function isClosedByOther(given: UserView, existing: LoggedUser, users: UserLog): boolean {
  const isOpen = users.differences(existing, { state: "active" }).every(({ isForeign }) => !isForeign);
  return given.state === undefined && existing.state !== "active" && !isOpen;
}

/** The fields of a user that an export lacks, also those that others have set. */
export function emptiedByExport(given: UserView, existing: LoggedUser, users: UserLog): readonly ComparedField[] {
  const different = users.differences(existing, wholeView(given));
  return different.map(({ field }) => field).filter((field) => given[field] === undefined);
}

/** The same as values that stay, with those of metadata, as `lackedByBody` names them. */
export function lackedByExport(emptied: readonly ComparedField[], keys: readonly string[]): readonly string[] {
  // A verification is no value of its own, and an export says itself that it lacks one-time codes.
  const fields = emptied.filter((field) => field !== "isPhoneVerified" && field !== "otp");
  return [...fields, ...keys.map(metadataField)];
}
