import { type Fields, fieldsOf, member, textMember } from "../json/members.ts";

// The parts of an exported organization from the answers of the lists of the older API (service behaviour 0.61). Each function names the
// members that an export has, in their order.

/** A policy of an organization: the member of the export, and the path after `/management/v1/policies/`. */
export interface PolicyKind {
  readonly member: string;
  readonly path: string;
  readonly fields: readonly string[];
  /** 64-bit numbers of the answer that an export has as numbers. */
  readonly numbers?: readonly string[];
}

const lifetimes = [
  "passwordCheckLifetime",
  "externalLoginCheckLifetime",
  "mfaInitSkipLifetime",
  "secondFactorCheckLifetime",
  "multiFactorCheckLifetime",
] as const;

/** The policies that an export has, in its order. */
export const policyKinds: readonly PolicyKind[] = [
  {
    member: "domainPolicy",
    path: "domain",
    fields: ["userLoginMustBeDomain", "validateOrgDomains", "smtpSenderAddressMatchesInstanceDomain"],
  },
  {
    member: "labelPolicy",
    path: "label",
    fields: [
      "primaryColor",
      "hideLoginNameSuffix",
      "warnColor",
      "backgroundColor",
      "fontColor",
      "primaryColorDark",
      "backgroundColorDark",
      "warnColorDark",
      "fontColorDark",
      "disableWatermark",
    ],
  },
  {
    member: "lockoutPolicy",
    path: "lockout",
    fields: ["maxPasswordAttempts", "maxOtpAttempts"],
    numbers: ["maxPasswordAttempts", "maxOtpAttempts"],
  },
  {
    member: "loginPolicy",
    path: "login",
    fields: [
      "allowUsernamePassword",
      "allowRegister",
      "allowExternalIdp",
      "forceMfa",
      "passwordlessType",
      "hidePasswordReset",
      "ignoreUnknownUsernames",
      "defaultRedirectUri",
      ...lifetimes,
      "secondFactors",
      "multiFactors",
      "forceMfaLocalOnly",
    ],
  },
  {
    member: "passwordComplexityPolicy",
    path: "password/complexity",
    fields: ["minLength", "hasUppercase", "hasLowercase", "hasNumber", "hasSymbol"],
  },
  {
    member: "privacyPolicy",
    path: "privacy",
    fields: ["tosLink", "privacyLink", "helpLink", "supportEmail", "docsLink", "customLink", "customLinkText"],
  },
];

/** A policy as an export has it; undefined for the default of the instance. `ownIdps` are the exported providers of the organization. */
export function policyOf(
  kind: PolicyKind,
  policy: Fields | undefined,
  orgId: string,
  ownIdps: ReadonlySet<string>,
): object | undefined {
  if (policy === undefined || member(policy, "isDefault") === true) return undefined;
  const numbers = (kind.numbers ?? []).flatMap((name) =>
    policy[name] === undefined ? [] : [[name, Number(policy[name])]],
  );
  const fields = { ...picked(policy, kind.fields), ...Object.fromEntries(numbers) };
  if (kind.member === "domainPolicy") return { orgId, ...fields };
  if (kind.member !== "loginPolicy") return fields;
  const idps = listOf(policy, "idps").map((idp) => {
    const idpId = textMember(idp, "idpId");
    return { idpId, ownerType: ownIdps.has(idpId) ? "IDP_OWNER_TYPE_ORG" : "IDP_OWNER_TYPE_SYSTEM" };
  });
  return idps.length === 0 ? fields : { ...fields, idps };
}

/** A kind of texts: its template in events, the member of the export, and the path after `/management/v1/text/`. */
export interface TextKind {
  readonly template: string;
  readonly member: string;
  readonly path: string;
  /** Absent: all texts of the answer. */
  readonly fields?: readonly string[];
}

const messageTexts = ["title", "preHeader", "subject", "greeting", "text", "buttonText", "footerText"] as const;

function message(template: string, name: string, path: string): TextKind {
  return { template, member: name, path: `message/${path}`, fields: messageTexts };
}

export const textKinds: readonly TextKind[] = [
  { template: "Login", member: "loginTexts", path: "login" },
  message("InitCode", "initMessages", "init"),
  message("PasswordReset", "passwordResetMessages", "passwordreset"),
  message("VerifyEmail", "verifyEmailMessages", "verifyemail"),
  message("VerifyPhone", "verifyPhoneMessages", "verifyphone"),
  message("DomainClaimed", "domainClaimedMessages", "domainclaimed"),
  message("PasswordlessRegistration", "passwordlessRegistrationMessages", "passwordless_registration"),
  { template: "VerifySMSOTP", member: "verifySmsOtpMessages", path: "message/verifysmsotp", fields: ["text"] },
  message("VerifyEmailOTP", "verifyEmailOtpMessages", "verifyemailotp"),
];

const LOGIN_TEXTS = "loginTexts";

/** Lists of texts of e-mails and text messages; no export has those of invitations. */
export const messageLists: ReadonlySet<string> = new Set([
  "inviteUserMessages",
  ...textKinds.flatMap((kind) => (kind.member === LOGIN_TEXTS ? [] : [kind.member])),
]);

/** These, and the list of the texts of the login pages. */
export const textLists: ReadonlySet<string> = new Set([...messageLists, LOGIN_TEXTS]);

/** Custom texts of a language; undefined for the default of the instance. */
export function textOf(kind: TextKind, language: string, text: Fields | undefined): object | undefined {
  if (text === undefined || member(text, "isDefault") === true) return undefined;
  const { details: _, isDefault: __, ...texts } = text;
  return { language, ...(kind.fields === undefined ? texts : picked(text, kind.fields)) };
}

export function projectOf(project: Fields): object {
  const fields = ["name", "projectRoleAssertion", "projectRoleCheck", "hasProjectCheck", "privateLabelingSetting"];
  return { projectId: textMember(project, "id"), project: picked(project, fields) };
}

export function roleOf(projectId: string, role: Fields): object {
  return { projectId, roleKey: textMember(role, "key"), ...picked(role, ["displayName", "group"]) };
}

const oidcFields = [
  "redirectUris",
  "responseTypes",
  "grantTypes",
  "appType",
  "authMethodType",
  "postLogoutRedirectUris",
  "version",
  "devMode",
  "accessTokenType",
  "accessTokenRoleAssertion",
  "idTokenRoleAssertion",
  "idTokenUserinfoAssertion",
  "clockSkew",
  "additionalOrigins",
  "skipNativeAppSuccessPage",
] as const;

/** An application and the list that it is in; undefined for a kind that no export has. */
export function appOf(
  projectId: string,
  app: Fields,
): { readonly list: "oidcApps" | "apiApps"; readonly app: object } | undefined {
  const named = { projectId, ...picked(app, ["name"]) };
  const appId = textMember(app, "id");
  const [oidc, api] = [configOf(app, "oidcConfig"), configOf(app, "apiConfig")];
  if (oidc !== undefined) return { list: "oidcApps", app: { appId, app: { ...named, ...picked(oidc, oidcFields) } } };
  if (api === undefined) return undefined;
  return { list: "apiApps", app: { appId, app: { ...named, ...picked(api, ["authMethodType"]) } } };
}

export function projectGrantOf(grant: Fields): {
  readonly grantId: string;
  readonly grantedOrgId: string;
  readonly entry: object;
} {
  const [grantId, grantedOrgId] = [textMember(grant, "grantId"), textMember(grant, "grantedOrgId")];
  const roleKeys = grant["grantedRoleKeys"];
  const projectGrant = {
    projectId: textMember(grant, "projectId"),
    grantedOrgId,
    ...(roleKeys === undefined ? {} : { roleKeys }),
  };
  return { grantId, grantedOrgId, entry: { grantId, projectGrant } };
}

/** A member of an organization, a project or a project grant; `place` names the project and the grant. */
export function memberOf(place: object, listed: Fields): { readonly userId: string; readonly entry: object } {
  const userId = textMember(listed, "userId");
  return { userId, entry: { ...place, userId, ...picked(listed, ["roles"]) } };
}

export function actionOf(action: Fields): object {
  return { actionId: textMember(action, "id"), action: picked(action, ["name", "script", "timeout", "allowedToFail"]) };
}

/** The actions of each trigger of a flow. */
export function triggersOf(flowType: string, flow: Fields): object[] {
  return listOf(flow, "triggerActions").map((trigger) => ({
    flowType,
    triggerType: textMember(fieldsOf(trigger["triggerType"]), "id"),
    actionIds: listOf(trigger, "actions").map((action) => textMember(action, "id")),
  }));
}

export function domainOf(domain: Fields): object {
  return picked(domain, ["orgId", "domainName", "isVerified", "isPrimary", "validationType"]);
}

/** Stands for a client secret, without which the service refuses the whole import (service behaviour 0.63). */
export const UNREADABLE_SECRET = "secret-not-exported";

/** An identity provider and the list that it is in; undefined for a kind that no export has. */
export function idpOf(idp: Fields): { readonly list: "oidcIdps" | "jwtIdps"; readonly idp: object } | undefined {
  const idpId = textMember(idp, "id");
  const named = picked(idp, ["name", "stylingType"]);
  const register = picked(idp, ["autoRegister"]);
  const [oidc, jwt] = [configOf(idp, "oidcConfig"), configOf(idp, "jwtConfig")];
  if (oidc !== undefined) {
    const client = { ...picked(oidc, ["clientId"]), clientSecret: UNREADABLE_SECRET };
    const rest = picked(oidc, ["issuer", "scopes", "displayNameMapping", "usernameMapping"]);
    return { list: "oidcIdps", idp: { idpId, idp: { ...named, ...client, ...rest, ...register } } };
  }
  if (jwt === undefined) return undefined;
  const config = picked(jwt, ["jwtEndpoint", "issuer", "keysEndpoint", "headerName"]);
  return { list: "jwtIdps", idp: { idpId, idp: { ...named, ...config, ...register } } };
}

/** The members of an object with these names, in this order; the service leaves default values out. */
function picked(object: Fields, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.flatMap((name) => (object[name] === undefined ? [] : [[name, object[name]]])));
}

function configOf(object: Fields, name: string): Fields | undefined {
  return object[name] === undefined ? undefined : fieldsOf(object[name]);
}

function listOf(object: Fields, name: string): readonly Fields[] {
  const value = object[name];
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}
