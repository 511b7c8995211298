import type { DescMessage } from "@bufbuild/protobuf";
import { isObject, type JsonObject, type JsonValue, textAt, valueAt } from "../../http/json.ts";
import type { Org } from "../../state/state.ts";
import type { Traits } from "../../state/traits.ts";
import { displayNameOf, languageOf, stateOf, userOf } from "../../users/human-user.ts";
import { asServiceHasIt } from "./service-entry.ts";

/** The settings of an export that change its entries. */
interface View {
  readonly org: Org;
  /** The message of an organization. */
  readonly descriptor: DescMessage;
  readonly traits: Traits;
  readonly withPasswords: boolean;
  readonly withOtp: boolean;
}

/** An entry of a list as an export shows it. */
export function shownEntry(field: string, entry: JsonObject, view: View): JsonObject {
  const shown = withAdditions(field, entry, view);
  return view.traits.exportsAsGiven ? shown : asServiceHasIt(field, shown, view.descriptor);
}

function withAdditions(field: string, entry: JsonObject, view: View): JsonObject {
  if (field === "humanUsers") return shownHuman(entry, view);
  if (field === "machineUsers") return { ...entry, ...shownState(entry, view) };
  if (field === "actions") return shownAction(entry);
  return field === "userLinks" ? shownLink(entry, view) : entry;
}

/** An action without a timeout gets 20 seconds (probed on v4 and v2). */
function shownAction(entry: JsonObject): JsonObject {
  const { action } = entry;
  if (!isObject(action) || textAt(action, "timeout") !== "") return entry;
  return { ...entry, action: { ...action, timeout: "20s" } };
}

/** With derived values; hashes and OTP secrets only on request (spec: Export request). */
function shownHuman(entry: JsonObject, view: View): JsonObject {
  const { hashedPassword, otpCode, passwordChangeRequired: _change, profile, ...user } = userOf(entry);
  const { userName, email, ...rest } = user;
  return {
    userId: textAt(entry, "userId"),
    user: {
      userName,
      profile: { ...genderless(profile), ...namedProfile(entry) },
      email,
      ...rest,
      ...(view.withPasswords && hashedPassword !== undefined ? { hashedPassword } : {}),
      ...(view.withOtp && otpCode !== undefined ? { otpCode } : {}),
    },
    ...shownState(entry, view),
  };
}

/** An unspecified gender is omitted (probed on v4). */
function genderless(profile: JsonValue | undefined): JsonObject {
  if (!isObject(profile)) return {};
  const { gender, ...rest } = profile;
  return gender === "GENDER_UNSPECIFIED" ? rest : profile;
}

function namedProfile(entry: JsonObject): JsonObject {
  return { displayName: displayNameOf(entry), preferredLanguage: languageOf(entry) };
}

function shownState(entry: JsonObject, { traits }: View): JsonObject {
  return traits.knowsStates ? { state: stateOf(entry) } : {};
}

function shownLink(link: JsonObject, { org }: View): JsonObject {
  const idpId = textAt(link, "idpId");
  const oidc = org.lists.get("oidcIdps")?.get(idpId);
  const jwt = org.lists.get("jwtIdps")?.get(idpId);
  const idp = oidc ?? jwt;
  if (idp === undefined) return link;
  const { userId, providedUserId, providedUserName } = link;
  return {
    userId,
    idpId,
    idpName: textAt(valueAt(idp, "idp"), "name"),
    providedUserId,
    ...(providedUserName === undefined ? {} : { providedUserName }),
    // The service answers a number for which its own message has no name (recording 24).
    idpType: oidc === undefined ? 2 : "IDP_TYPE_OIDC",
  };
}
