import type { DescMessage } from "@bufbuild/protobuf";
import { isObject, type JsonObject } from "../../http/json.ts";
import { numberedTrigger } from "../../import/triggers.ts";

/** The differences between an import and the export of the real service after it (recording full 03). */
const changes: Readonly<Record<string, (entry: JsonObject, org: DescMessage) => JsonObject>> = {
  labelPolicy: (policy) => without(policy, "themeMode"),
  loginPolicy: (policy) => ({ ...noLifetimes, ...policy }),
  loginTexts: (texts, org) => ({ ...emptyTexts(org), ...texts }),
  machineUsers: (entry) => within(entry, "user", (user) => without(user, "accessTokenType")),
  triggerActions: numberedTrigger,
  domains: (domain) => without(domain, "details", "validationType"),
  oidcApps: (entry) => within(entry, "app", (app) => ({ ...without(app, "loginVersion"), ...grantTypes(app) })),
};

/** An entry or a setting as the real service exports it after an import. */
export function asServiceHasIt(field: string, entry: JsonObject, org: DescMessage): JsonObject {
  return changes[field]?.(entry, org) ?? entry;
}

const noLifetimes = {
  passwordCheckLifetime: "0s",
  externalLoginCheckLifetime: "0s",
  mfaInitSkipLifetime: "0s",
  secondFactorCheckLifetime: "0s",
  multiFactorCheckLifetime: "0s",
};

/** All texts of a language except one. */
function emptyTexts(org: DescMessage): JsonObject {
  const fields = org.fields.find(({ jsonName }) => jsonName === "loginTexts")?.message?.fields ?? [];
  const shown = fields.filter(
    ({ fieldKind, jsonName }) => fieldKind === "message" && jsonName !== "linkingUserPromptText",
  );
  return Object.fromEntries(shown.map(({ jsonName }) => [jsonName, {}]));
}

function grantTypes(app: JsonObject): JsonObject {
  return Array.isArray(app["grantTypes"]) ? {} : { grantTypes: ["OIDC_GRANT_TYPE_AUTHORIZATION_CODE"] };
}

function without(entry: JsonObject, ...keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(entry).filter(([key]) => !keys.includes(key)));
}

function within(entry: JsonObject, key: string, change: (inner: JsonObject) => JsonObject): JsonObject {
  const inner = entry[key];
  return isObject(inner) ? { ...entry, [key]: change(inner) } : entry;
}
