/** An organization with every field of the service's document, each entry as the service answers it. */
export const fullOrg = {
  orgId: "1",
  org: { name: "Acme" },
  domainPolicy: { orgId: "1", validateOrgDomains: true },
  labelPolicy: { primaryColor: "#5469d4", themeMode: "THEME_MODE_DARK" },
  lockoutPolicy: { maxPasswordAttempts: 5 },
  loginPolicy: {
    allowUsernamePassword: true,
    passwordlessType: "PASSWORDLESS_TYPE_ALLOWED",
    passwordCheckLifetime: "864000s",
    secondFactors: ["SECOND_FACTOR_TYPE_OTP"],
    idps: [{ idpId: "idp", ownerType: "IDP_OWNER_TYPE_ORG" }],
  },
  passwordComplexityPolicy: { minLength: "10", hasNumber: true },
  privacyPolicy: { tosLink: "https://example.com/tos" },
  projects: [{ projectId: "p", project: { name: "Portal", hasProjectCheck: true } }],
  projectRoles: [{ projectId: "p", roleKey: "admin", displayName: "Admin", group: "g" }],
  apiApps: [
    { appId: "api", app: { projectId: "p", name: "API", authMethodType: "API_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT" } },
  ],
  oidcApps: [
    {
      appId: "web",
      app: {
        projectId: "p",
        name: "Web",
        redirectUris: ["https://example.com/cb"],
        responseTypes: ["OIDC_RESPONSE_TYPE_CODE"],
        clockSkew: "1.500s",
        loginVersion: { loginV2: { baseUri: "" } },
      },
    },
  ],
  humanUsers: [
    {
      userId: "auth0|1",
      user: {
        userName: "ada@example.com",
        profile: { firstName: "Ada", lastName: "Lovelace", displayName: "Ada \u2028 😀", gender: "GENDER_FEMALE" },
        email: { email: "ada@example.com", isEmailVerified: true },
        phone: { phone: "+41791234567", isPhoneVerified: true },
        hashedPassword: { value: "$2b$10$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZ01234" },
        otpCode: "JBSWY3DPEHPK3PXP",
        idps: [{ configId: "idp", externalUserId: "ext" }],
      },
      state: "USER_STATE_LOCKED",
    },
  ],
  machineUsers: [{ userId: "m", user: { userName: "robot", name: "Robot", accessTokenType: "ACCESS_TOKEN_TYPE_JWT" } }],
  triggerActions: [{ flowType: "1", triggerType: "2", actionIds: ["act"] }],
  actions: [{ actionId: "act", action: { name: "greet", script: "function greet() {}", timeout: "10s" } }],
  projectGrants: [{ grantId: "g", projectGrant: { projectId: "p", grantedOrgId: "2", roleKeys: ["admin"] } }],
  userGrants: [{ userId: "auth0|1", projectId: "p", roleKeys: ["admin"] }],
  orgMembers: [{ userId: "auth0|1", roles: ["ORG_OWNER"] }],
  projectMembers: [{ projectId: "p", userId: "m", roles: ["PROJECT_OWNER"] }],
  projectGrantMembers: [{ projectId: "p", grantId: "g", userId: "m", roles: ["PROJECT_GRANT_OWNER"] }],
  userMetadata: [{ id: "auth0|1", key: "plan", value: "Z29sZA==" }],
  loginTexts: [{ language: "de", loginText: { title: "Willkommen" }, initMfaU2fText: { title: "Schlüssel" } }],
  initMessages: [{ language: "de", title: "Start" }],
  passwordResetMessages: [{ language: "de", title: "Neu" }],
  verifyEmailMessages: [{ language: "de", title: "E-Mail" }],
  verifyPhoneMessages: [{ language: "de", title: "Telefon" }],
  domainClaimedMessages: [{ language: "de", title: "Domain" }],
  passwordlessRegistrationMessages: [{ language: "de", title: "Passkey" }],
  oidcIdps: [
    { idpId: "idp", idp: { name: "Google", clientId: "c", clientSecret: "s", issuer: "https://example.com" } },
  ],
  jwtIdps: [
    {
      idpId: "jwt",
      idp: { name: "JWT", jwtEndpoint: "https://example.com", issuer: "i", keysEndpoint: "k", headerName: "h" },
    },
  ],
  userLinks: [{ userId: "auth0|1", idpId: "jwt", idpName: "JWT", providedUserId: "e2", providedUserName: "Ada" }],
  domains: [
    {
      orgId: "1",
      details: { sequence: "3", creationDate: "2024-05-06T07:08:09.120Z", resourceOwner: "1" },
      domainName: "acme.example.net",
      isVerified: true,
      isPrimary: true,
      validationType: "DOMAIN_VALIDATION_TYPE_DNS",
    },
  ],
  appKeys: [
    {
      id: "ak",
      projectId: "p",
      appId: "api",
      clientId: "c",
      type: "KEY_TYPE_JSON",
      expirationDate: "9999-12-31T23:59:59Z",
      publicKey: "LS0t",
    },
  ],
  machineKeys: [
    { keyId: "mk", userId: "m", type: "KEY_TYPE_JSON", expirationDate: "9999-12-31T23:59:59Z", publicKey: "LS0t" },
  ],
  verifySmsOtpMessages: [{ language: "de", text: "Code" }],
  verifyEmailOtpMessages: [{ language: "de", title: "Code" }],
  inviteUserMessages: [{ language: "de", title: "Einladung" }],
  orgState: "ORG_STATE_ACTIVE",
};

/** The organization that `fullOrg` grants a project to. */
export const otherOrg = { orgId: "2", org: { name: "Bolt" } };

const [ada] = fullOrg.humanUsers;
const { idps: _idps, ...adaWithoutLinks } = ada?.user ?? {};
const generated = (orgId: string, name: string) => ({ orgId, domainName: `${name}.127.0.0.1`, isVerified: true });

/** Both of them as they are exported again: with what the service makes of them (service behaviour 0.19b; recording full 03). */
export const fullExport = {
  orgs: [
    {
      ...fullOrg,
      humanUsers: [
        { ...ada, user: { ...adaWithoutLinks, profile: { ...ada?.user.profile, preferredLanguage: "und" } } },
      ],
      machineUsers: fullOrg.machineUsers.map((entry) => ({ ...entry, state: "USER_STATE_ACTIVE" })),
      // All identities stand here, and the type of some is a number that the service's own message has no name for.
      userLinks: [
        { userId: "auth0|1", idpId: "idp", idpName: "Google", providedUserId: "ext", idpType: "IDP_TYPE_OIDC" },
        ...fullOrg.userLinks.map((link) => ({ ...link, idpType: 2 })),
      ],
      domains: [generated("1", "acme"), ...fullOrg.domains],
    },
    {
      ...otherOrg,
      domains: [{ ...generated("2", "bolt"), isPrimary: true }],
      orgState: "ORG_STATE_ACTIVE",
      // Members of projects stand in every organization of an export.
      projectMembers: fullOrg.projectMembers,
    },
  ],
};
