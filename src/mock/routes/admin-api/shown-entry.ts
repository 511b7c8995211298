import { isObject, type JsonObject, parseStored, textAt, valueAt } from "../../protojson/json-value.ts";
import { displayNameOf, languageOf, stateOf, userOf } from "../../users/human-user.ts";
import type { Scope } from "./exported-org.ts";
import { asServiceHasIt } from "./service-entry.ts";

/** An entry of a list as an export shows it. */
export function shownEntry(field: string, entry: JsonObject, scope: Scope): JsonObject {
  const shown = withAdditions(field, entry, scope);
  return scope.traits.exportsAsGiven ? shown : asServiceHasIt(field, shown, scope.table);
}

function withAdditions(field: string, entry: JsonObject, scope: Scope): JsonObject {
  if (field === "humanUsers") return shownHuman(entry, scope);
  if (field === "machineUsers") return { ...entry, ...shownState(entry, scope) };
  if (field === "actions") return shownAction(entry);
  return field === "userLinks" ? shownLink(entry, scope) : entry;
}

/** An action has 20 seconds where none were given (probed on v4 and v2). */
function shownAction(entry: JsonObject): JsonObject {
  const { action } = entry;
  if (!isObject(action) || textAt(action, "timeout") !== "") return entry;
  return { ...entry, action: { ...action, timeout: "20s" } };
}

/** With what the service makes of it; hashes and OTP secrets only when asked for (spec: Export request). */
function shownHuman(entry: JsonObject, scope: Scope): JsonObject {
  const { hashedPassword, otpCode, passwordChangeRequired: _change, profile, ...user } = userOf(entry);
  const { userName, email, ...rest } = user;
  return {
    userId: textAt(entry, "userId"),
    user: {
      userName,
      profile: { ...(isObject(profile) ? profile : {}), ...namedProfile(entry) },
      email,
      ...rest,
      ...(scope.withPasswords && hashedPassword !== undefined ? { hashedPassword } : {}),
      ...(scope.withOtp && otpCode !== undefined ? { otpCode } : {}),
    },
    ...shownState(entry, scope),
  };
}

function namedProfile(entry: JsonObject): JsonObject {
  return { displayName: displayNameOf(entry), preferredLanguage: languageOf(entry) };
}

function shownState(entry: JsonObject, { traits }: Scope): JsonObject {
  return traits.knowsStates ? { state: stateOf(entry) } : {};
}

function shownLink(link: JsonObject, { org }: Scope): JsonObject {
  const idpId = textAt(link, "idpId");
  const oidc = org.lists.get("oidcIdps")?.get(idpId);
  const jwt = org.lists.get("jwtIdps")?.get(idpId);
  const idp = oidc ?? jwt;
  if (idp === undefined) return link;
  const { userId, providedUserId, providedUserName } = link;
  return {
    userId,
    idpId,
    idpName: textAt(valueAt(parseStored(idp), "idp"), "name"),
    providedUserId,
    ...(providedUserName === undefined ? {} : { providedUserName }),
    // The service answers a number that its own message has no name for (recording 24).
    idpType: oidc === undefined ? 2 : "IDP_TYPE_OIDC",
  };
}
