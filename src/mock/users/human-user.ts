import { isObject, type JsonObject, textAt, valueAt } from "../http/json.ts";

/**
 * Entries of users are stored as received. These functions give the values that the service derives from them (recordings 127,
 * 157–159).
 */

/** The states that have an effect; a user without one of them is active. */
export type UserState = "USER_STATE_ACTIVE" | "USER_STATE_INACTIVE" | "USER_STATE_LOCKED" | "USER_STATE_INITIAL";

/** The genders by their numbers in events, without the unspecified one. */
export const genders: Readonly<Record<string, number>> = { GENDER_FEMALE: 1, GENDER_MALE: 2, GENDER_DIVERSE: 3 };

/** `user` of an entry. */
export function userOf(entry: JsonObject): JsonObject {
  const user = valueAt(entry, "user");
  return isObject(user) ? user : {};
}

export function stateOf(entry: JsonObject): UserState {
  const state = textAt(entry, "state");
  return state === "USER_STATE_INACTIVE" || state === "USER_STATE_LOCKED" || state === "USER_STATE_INITIAL"
    ? state
    : "USER_STATE_ACTIVE";
}

/** The display name: first and last name unless one was given. A change may have set an empty one. */
export function displayNameOf(entry: JsonObject): string {
  const profile = valueAt(userOf(entry), "profile");
  const given = valueAt(profile, "displayName");
  return typeof given === "string" ? given : `${textAt(profile, "firstName")} ${textAt(profile, "lastName")}`;
}

/** The language tag, or `und` for a text that is not one (recording 13). */
export function languageOf(entry: JsonObject): string {
  return knownLanguage(textAt(userOf(entry), "profile", "preferredLanguage"));
}

export function knownLanguage(tag: string): string {
  try {
    const [canonical = "und"] = Intl.getCanonicalLocales(tag);
    return isLanguage(canonical) ? canonical : "und";
  } catch {
    return "und";
  }
}

/** The service's library knows existing languages only. */
function isLanguage(tag: string): boolean {
  const [language = ""] = tag.split("-");
  return new Intl.DisplayNames("en", { type: "language", fallback: "none" }).of(language) !== undefined;
}
