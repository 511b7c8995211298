import { type ComparedField, type UserField, userFields } from "./user-fields.ts";

/** A field that is compared. */
export type ComparedUserField = UserField & { readonly compared: ComparedField };

/** The fields that are compared, in the order of reports: what a user signs in with stands before the profile. */
export const comparedUserFields: readonly ComparedUserField[] = [
  ...comparedRows().filter(isSignInName),
  ...comparedRows().filter((field) => !isSignInName(field)),
];

/** The names of the compared fields, in the order of reports. */
export const comparedFields: readonly ComparedField[] = comparedUserFields.map(({ compared }) => compared);

/** The names of the compared fields of the profile. */
export const profileFields: ReadonlySet<string> = new Set(
  comparedUserFields.filter(isOfProfile).map(({ compared }) => compared),
);

/**
 * A user, or a part of one, as texts. An empty text means that the user has none; an absent field, that the source of the view says
 * nothing of it.
 */
export type UserView = { readonly [Field in ComparedField]?: string };

function comparedRows(): readonly ComparedUserField[] {
  return userFields.filter((field) => "compared" in field);
}

function isSignInName({ entry }: UserField): boolean {
  return entry === "user.userName" || entry.startsWith("user.email.");
}

/** True for a field of the profile: one call and one event change all of them together. */
export function isOfProfile({ entry }: UserField): boolean {
  return entry.startsWith("user.profile.");
}
