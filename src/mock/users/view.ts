import { type JsonObject, textAt, valueAt } from "../http/json.ts";
import type { Instance } from "../state/instance.ts";
import { userLoginMustBeDomain } from "../state/keys.ts";
import type { StoredUser } from "../state/lookup.ts";
import type { Org } from "../state/state.ts";
import { timestampOf } from "../state/timestamp.ts";
import { datesOfUser, type UserDates, userDetails } from "./details.ts";
import { displayNameOf, languageOf, stateOf, userOf } from "./human-user.ts";

/**
 * A user in the users API (recordings 157–159). A user without a login name (service behaviour 0.41) has no login name fields
 * (probed on v4 and v2).
 */
export function viewOf(user: StoredUser, { store, traits }: Instance, nameless: ReadonlySet<string>): JsonObject {
  const dates = datesOfUser(store.state, user.id);
  const [preferred, ...others] = nameless.has(user.id) ? [] : loginNamesOf(user);
  return {
    userId: user.id,
    details: userDetails(dates, user.org.id, traits),
    state: stateOf(user.entry),
    username: textAt(user.entry, "user", "userName"),
    ...(preferred === undefined ? {} : { loginNames: [preferred, ...others], preferredLoginName: preferred }),
    ...(user.field === "humanUsers" ? { human: humanView(user.entry, dates) } : { machine: machineView(user.entry) }),
  };
}

function humanView(entry: JsonObject, { passwordSet }: UserDates): JsonObject {
  const user = userOf(entry);
  const profile = valueAt(user, "profile");
  const phone = textAt(user, "phone", "phone");
  const hasPassword = textAt(user, "hashedPassword", "value") !== "";
  return {
    profile: {
      givenName: textAt(profile, "firstName"),
      familyName: textAt(profile, "lastName"),
      nickName: textAt(profile, "nickName"),
      displayName: displayNameOf(entry),
      preferredLanguage: languageOf(entry),
      gender: textAt(profile, "gender") || "GENDER_UNSPECIFIED",
    },
    email: {
      email: textAt(user, "email", "email"),
      ...(valueAt(user, "email", "isEmailVerified") === true ? { isVerified: true } : {}),
    },
    phone: {
      ...(phone === "" ? {} : { phone }),
      ...(valueAt(user, "phone", "isPhoneVerified") === true ? { isVerified: true } : {}),
    },
    ...(user["passwordChangeRequired"] === true ? { passwordChangeRequired: true } : {}),
    ...(hasPassword && passwordSet !== undefined ? { passwordChanged: timestampOf(passwordSet.at) } : {}),
  };
}

function machineView(entry: JsonObject): JsonObject {
  const user = userOf(entry);
  return {
    name: textAt(user, "name"),
    ...(textAt(user, "description") === "" ? {} : { description: textAt(user, "description") }),
    ...(textAt(user, "accessTokenType") === "" ? {} : { accessTokenType: textAt(user, "accessTokenType") }),
  };
}

/** Login names of a user: the user name, with each verified domain of the organization where the policy requires it. */
export function loginNamesOf({ org, entry }: StoredUser): readonly string[] {
  const userName = textAt(entry, "user", "userName");
  return userLoginMustBeDomain(org) ? domainsOf(org).map((domain) => `${userName}@${domain}`) : [userName];
}

/** Verified domains, the primary one first. */
export function domainsOf({ lists }: Org): readonly string[] {
  const domains = [...(lists.get("domains")?.values() ?? [])];
  const verified = domains.filter((domain) => domain["isVerified"] === true);
  const primaryFirst = [...verified].sort(
    (one, other) => Number(other["isPrimary"] === true) - Number(one["isPrimary"] === true),
  );
  return primaryFirst.map((domain) => textAt(domain, "domainName"));
}
