import { isObject, type JsonObject, textAt, valueAt } from "../http/json.ts";
import type { Org } from "../state/state.ts";

/**
 * Entries of users are kept as they were given, without what the service makes of them; this says what that is (recordings
 * 127, 157–159).
 */

/** The states that have an effect; a user without one of them is active. */
export type UserState = "USER_STATE_ACTIVE" | "USER_STATE_INACTIVE" | "USER_STATE_LOCKED" | "USER_STATE_INITIAL";

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

/** The name as it is shown: both names unless another one was given, which a change may make an empty one. */
export function displayNameOf(entry: JsonObject): string {
  const profile = valueAt(userOf(entry), "profile");
  const given = valueAt(profile, "displayName");
  return typeof given === "string" ? given : `${textAt(profile, "firstName")} ${textAt(profile, "lastName")}`;
}

/** `und` unless it is a language tag by its form: what cannot be read as one is forgotten (recording 13). */
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

/** Only languages that exist are known to the service's library. */
function isLanguage(tag: string): boolean {
  const [language = ""] = tag.split("-");
  return new Intl.DisplayNames("en", { type: "language", fallback: "none" }).of(language) !== undefined;
}

/** The name of a user as events show it. */
export function shownName(org: Org | undefined, userId: string): string | undefined {
  const human = org?.lists.get("humanUsers")?.get(userId);
  if (human !== undefined) return displayNameOf(human);
  const machine = org?.lists.get("machineUsers")?.get(userId);
  return machine === undefined ? undefined : textAt(machine, "user", "name");
}
