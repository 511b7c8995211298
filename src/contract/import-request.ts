/**
 * The variants of the import request: exactly one top-level data field selects one (spec: Endpoints, rules). The service reads
 * camelCase and snake_case alike (service behaviour 1).
 */
export const importVariants = [
  { variant: "dataOrgs", camel: "dataOrgs", snake: "data_orgs", carries: "body" },
  { variant: "dataOrgsv1", camel: "dataOrgsv1", snake: "data_orgsv1", carries: "body" },
  { variant: "dataOrgsGcs", camel: "dataOrgsGcs", snake: "data_orgs_gcs", carries: "object-storage" },
  { variant: "dataOrgsv1Gcs", camel: "dataOrgsv1Gcs", snake: "data_orgsv1_gcs", carries: "object-storage" },
] as const;
export type ImportVariant = (typeof importVariants)[number]["variant"];

/** Variants of the real service that read the server's disk or an S3 bucket (service behaviour 1.1); not in the specification. */
export const otherImportVariants = [
  { camel: "dataOrgsLocal", snake: "data_orgs_local" },
  { camel: "dataOrgsv1Local", snake: "data_orgsv1_local" },
  { camel: "dataOrgsS3", snake: "data_orgs_s3" },
  { camel: "dataOrgsv1S3", snake: "data_orgsv1_s3" },
] as const;

/** The camelCase form of a key; the service reads snake_case alike (service behaviour 1). */
export function camelKey(key: string): string {
  return key.includes("_") ? key.replace(/_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()) : key;
}

/** The member with the roles of a role grant or a membership; undefined for an element of another list. */
export function rolesMember(list: string): "roles" | "roleKeys" | undefined {
  if (list.endsWith("Members")) return "roles";
  return list === "userGrants" ? "roleKeys" : undefined;
}

/** The fields of a message by name, with those of a message within it; undefined: a value whose content is not looked at. */
export type KnownFields = ReadonlyMap<string, KnownFields | undefined>;

const message = "language title preHeader subject greeting text buttonText footerText";

/**
 * The members of an organization in a body or an export, and the fields of each: the messages DataOrg of admin and v1, version 4.15. The
 * service ignores others without an error (service behaviour 1). `loginTexts` has some 300 texts, which are not listed.
 */
const members: Readonly<Record<string, string>> = {
  orgId: "",
  org: "name",
  orgState: "",
  domains: "orgId details domainName isVerified isPrimary validationType",
  domainPolicy: "orgId userLoginMustBeDomain validateOrgDomains smtpSenderAddressMatchesInstanceDomain",
  iamPolicy: "orgId userLoginMustBeDomain",
  labelPolicy:
    "primaryColor hideLoginNameSuffix warnColor backgroundColor fontColor primaryColorDark backgroundColorDark warnColorDark fontColorDark disableWatermark themeMode",
  lockoutPolicy: "maxPasswordAttempts maxOtpAttempts",
  loginPolicy:
    "allowUsernamePassword allowRegister allowExternalIdp forceMfa passwordlessType hidePasswordReset ignoreUnknownUsernames defaultRedirectUri passwordCheckLifetime externalLoginCheckLifetime mfaInitSkipLifetime secondFactorCheckLifetime multiFactorCheckLifetime secondFactors multiFactors idps(idpId ownerType) allowDomainDiscovery disableLoginWithEmail disableLoginWithPhone forceMfaLocalOnly",
  passwordComplexityPolicy: "minLength hasUppercase hasLowercase hasNumber hasSymbol",
  privacyPolicy: "tosLink privacyLink helpLink supportEmail docsLink customLink customLinkText",
  projects: "projectId project(name projectRoleAssertion projectRoleCheck hasProjectCheck privateLabelingSetting)",
  projectRoles: "projectId roleKey displayName group",
  apiApps: "appId app(projectId name authMethodType)",
  oidcApps:
    "appId app(projectId name redirectUris responseTypes grantTypes appType authMethodType postLogoutRedirectUris version devMode accessTokenType accessTokenRoleAssertion idTokenRoleAssertion idTokenUserinfoAssertion clockSkew additionalOrigins skipNativeAppSuccessPage backChannelLogoutUri loginVersion)",
  appKeys: "id projectId appId clientId type expirationDate publicKey",
  // Old programs write the algorithm of a hash (service behaviour 1.4).
  humanUsers:
    "userId user(userName profile(firstName lastName nickName displayName preferredLanguage gender) email(email isEmailVerified) phone(phone isPhoneVerified) password hashedPassword(value algorithm) passwordChangeRequired requestPasswordlessRegistration otpCode idps(configId externalUserId displayName) recoveryCodes(raw hash)) state",
  machineUsers: "userId user(userName name description accessTokenType userId) state",
  machineKeys: "keyId userId type expirationDate publicKey",
  userMetadata: "id key value",
  userLinks: "userId idpId idpName providedUserId providedUserName idpType",
  userGrants: "userId projectId projectGrantId roleKeys",
  orgMembers: "userId roles",
  projectMembers: "projectId userId roles",
  projectGrants: "grantId projectGrant(projectId grantedOrgId roleKeys)",
  projectGrantMembers: "projectId grantId userId roles",
  actions: "actionId action(name script timeout allowedToFail)",
  triggerActions: "flowType triggerType actionIds",
  oidcIdps:
    "idpId idp(name stylingType clientId clientSecret issuer scopes displayNameMapping usernameMapping autoRegister)",
  jwtIdps: "idpId idp(name stylingType jwtEndpoint issuer keysEndpoint headerName autoRegister)",
  loginTexts: "",
  initMessages: message,
  passwordResetMessages: message,
  verifyEmailMessages: message,
  verifyPhoneMessages: message,
  verifySmsOtpMessages: "language text",
  verifyEmailOtpMessages: message,
  domainClaimedMessages: message,
  passwordlessRegistrationMessages: message,
  inviteUserMessages: message,
  secondFactors: "type",
  multiFactors: "type",
  idps: "idpId ownerType",
};

/** That table, read. */
export const orgMembers: KnownFields = new Map(
  Object.entries(members).map(([name, fields]) => [name, fields === "" ? undefined : readFields(fields)]),
);

/**
 * The member in which the elements of a list hold what they are about. An element without it ends the whole process of the service
 * (service behaviour 0.1; tried with every list on versions 2.62 and 4), so it must never be sent.
 */
export const contentOf: Readonly<Record<string, string>> = {
  humanUsers: "user",
  machineUsers: "user",
  projects: "project",
  oidcApps: "app",
  apiApps: "app",
  projectGrants: "projectGrant",
  actions: "action",
  oidcIdps: "idp",
  jwtIdps: "idp",
};

/** Reads `a b(c d)`: the field b has the fields c and d. */
function readFields(text: string): KnownFields {
  const open: Map<string, KnownFields | undefined>[] = [new Map()];
  for (const [, name = "", end] of text.matchAll(/(\w*)([ ()]|$)/g)) {
    const inner = end === "(" ? new Map<string, KnownFields | undefined>() : undefined;
    if (name !== "") open.at(-1)?.set(name, inner);
    if (inner !== undefined) open.push(inner);
    if (end === ")") open.pop();
  }
  return open[0] as KnownFields; // the outermost one is never closed
}
