import type { DescMessage } from "@bufbuild/protobuf";
import { isObject, type JsonObject, type JsonValue, textAt } from "../../http/json.ts";
import type { Instance } from "../../state/instance.ts";
import type { Org } from "../../state/state.ts";
import { displayNameOf, languageOf, stateOf, userOf } from "../../users/human-user.ts";
import type { Lag } from "../../users/lag.ts";
import { asServiceHasIt } from "./service-entry.ts";

export interface ExportSettings extends Pick<Instance, "store" | "traits"> {
  /** The message of an organization. */
  readonly descriptor: DescMessage;
  /** The exported organizations, in the order of their creation. */
  readonly orgs: readonly Org[];
  readonly withPasswords: boolean;
  readonly withOtp: boolean;
  readonly lag: Lag;
}

/** One organization of an export. */
export interface Scope extends ExportSettings {
  readonly org: Org;
  readonly orgIds: ReadonlySet<string>;
}

/** An entry of a list as an export shows it. */
export function shownEntry(field: string, entry: JsonObject, scope: Scope): JsonObject {
  const shown = withAdditions(field, entry, scope);
  return scope.traits.exportsAsGiven ? shown : asServiceHasIt(field, shown, scope.descriptor);
}

function withAdditions(field: string, entry: JsonObject, scope: Scope): JsonObject {
  if (field === "humanUsers") return shownHuman(entry, scope);
  if (field === "machineUsers") return { ...entry, ...shownState(entry, scope) };
  if (field === "actions") return shownAction(entry);
  return field === "userLinks" ? shownLink(entry, scope) : entry;
}

/** An action without a timeout gets 20 seconds (probed on v4 and v2). */
function shownAction(entry: JsonObject): JsonObject {
  const { action } = entry;
  if (!isObject(action) || textAt(action, "timeout") !== "") return entry;
  return { ...entry, action: { ...action, timeout: "20s" } };
}

/** With derived values; hashes and OTP secrets only on request (spec: Export request). */
function shownHuman(entry: JsonObject, scope: Scope): JsonObject {
  const { hashedPassword, otpCode, passwordChangeRequired: _change, profile, ...user } = userOf(entry);
  const { userName, email, ...rest } = user;
  return {
    userId: textAt(entry, "userId"),
    user: {
      userName,
      profile: { ...genderless(profile), displayName: displayNameOf(entry), preferredLanguage: languageOf(entry) },
      email,
      ...rest,
      ...(scope.withPasswords && hashedPassword !== undefined ? { hashedPassword } : {}),
      ...(scope.withOtp && otpCode !== undefined ? { otpCode } : {}),
    },
    ...shownState(entry, scope),
  };
}

/** An unspecified gender is omitted (probed on v4). */
function genderless(profile: JsonValue | undefined): JsonObject {
  if (!isObject(profile)) return {};
  const { gender, ...rest } = profile;
  return gender === "GENDER_UNSPECIFIED" ? rest : profile;
}

function shownState(entry: JsonObject, { traits }: Scope): JsonObject {
  return traits.knowsStates ? { state: stateOf(entry) } : {};
}

function shownLink(link: JsonObject, { org }: Scope): JsonObject {
  const idpId = textAt(link, "idpId");
  const oidc = org.lists.get("oidcIdps")?.get(idpId);
  const idp = oidc ?? org.lists.get("jwtIdps")?.get(idpId);
  if (idp === undefined) return link;
  const { userId, providedUserId, providedUserName } = link;
  return {
    userId,
    idpId,
    idpName: textAt(idp, "idp", "name"),
    providedUserId,
    ...(providedUserName === undefined ? {} : { providedUserName }),
    // The service answers a number for which its own message has no name (recording 24).
    idpType: oidc === undefined ? 2 : "IDP_TYPE_OIDC",
  };
}
