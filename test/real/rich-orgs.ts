import { uniqueId } from "./harness.ts";

/** bcrypt, cost 4: of `PASSWORD`. */
export const HASH = "$2b$04$abcdefghijklmnopqrstuu7Zezq8McKTVnDi3UfuOvkViEeFXm/JG";
export const PASSWORD = "hunter2-Old";

/** An entry of humanUsers: verified, with a password, unless `fields` say otherwise. */
export function user(id: string, fields: object = {}): { userId: string; user: Record<string, unknown> } {
  return {
    userId: id,
    user: {
      userName: `${id}@example.com`,
      profile: { firstName: "Ada", lastName: "Lovelace" },
      email: { email: `${id}@example.com`, isEmailVerified: true },
      hashedPassword: { value: HASH },
      ...fields,
    },
  };
}

const TEXTS = {
  language: "de",
  title: "Titel",
  preHeader: "Vorab",
  subject: "Betreff",
  greeting: "Hallo",
  text: "Text",
  buttonText: "Weiter",
  footerText: "Ende",
};
const SHORT_TEXT = { language: "de", text: "Code" };

/** An organization and what belongs to it, by the names that tests ask for. */
export interface RichOrgs {
  readonly orgs: readonly object[];
  readonly ids: { readonly one: string; readonly two: string; readonly ada: string; readonly eve: string };
}

/** Two organizations with everything that an export carries, the second with a grant of the first one's project. */
export function richOrgs(): RichOrgs {
  const [one, two, project, api, web, action, grant, robot, idp, jwt] = [
    "one",
    "two",
    "p",
    "api",
    "web",
    "act",
    "g",
    "bot",
    "idp",
    "jwt",
  ].map(uniqueId) as string[];
  const [ada, bob, cyd, eve] = ["ada", "bob", "cyd", "eve"].map(uniqueId) as [string, string, string, string];
  const first = {
    orgId: one,
    org: { name: one },
    ...policies(one as string, idp as string),
    ...texts(),
    projects: [{ projectId: project, project: { name: "Portal", hasProjectCheck: true } }],
    projectRoles: [{ projectId: project, roleKey: "admin", displayName: "Admin", group: "g" }],
    apiApps: [{ appId: api, app: { projectId: project, name: "API" } }],
    oidcApps: [
      {
        appId: web,
        app: {
          projectId: project,
          name: "Web",
          redirectUris: ["https://example.com/cb"],
          responseTypes: ["OIDC_RESPONSE_TYPE_CODE"],
          grantTypes: ["OIDC_GRANT_TYPE_AUTHORIZATION_CODE"],
          clockSkew: "1.500s",
        },
      },
    ],
    humanUsers: [
      user(ada),
      { ...user(bob, { otpCode: "JBSWY3DPEHPK3PXP" }), state: "USER_STATE_INACTIVE" },
      user(cyd, { hashedPassword: undefined }),
    ],
    machineUsers: [{ userId: robot, user: { userId: robot, userName: robot, name: "Robot" } }],
    actions: [{ actionId: action, action: { name: "greet", script: "function greet() {}", timeout: "10s" } }],
    triggerActions: [{ flowType: "1", triggerType: "2", actionIds: [action] }],
    projectGrants: [{ grantId: grant, projectGrant: { projectId: project, grantedOrgId: two, roleKeys: ["admin"] } }],
    userGrants: [{ userId: ada, projectId: project, roleKeys: ["admin"] }],
    orgMembers: [
      { userId: ada, roles: ["ORG_OWNER"] },
      { userId: robot, roles: ["ORG_OWNER_VIEWER"] },
    ],
    projectMembers: [{ projectId: project, userId: robot, roles: ["PROJECT_OWNER"] }],
    projectGrantMembers: [{ projectId: project, grantId: grant, userId: ada, roles: ["PROJECT_GRANT_OWNER"] }],
    userMetadata: [
      { id: ada, key: "plan", value: "Z29sZA==" },
      { id: robot, key: "shift", value: "bmlnaHQ=" },
    ],
    oidcIdps: [
      { idpId: idp, idp: { name: "Google", clientId: "c", clientSecret: "s", issuer: "https://example.com" } },
    ],
    jwtIdps: [
      {
        idpId: jwt,
        idp: {
          name: "Jwt",
          jwtEndpoint: "https://example.com/jwt",
          issuer: "https://example.com",
          keysEndpoint: "https://example.com/keys",
          headerName: "x-jwt",
        },
      },
    ],
    userLinks: [{ userId: ada, idpId: idp, idpName: "Google", providedUserId: ada, providedUserName: "ada" }],
    domains: [{ domainName: `${one}.example.com`, isVerified: true, isPrimary: true }],
  };
  const second = {
    orgId: two,
    org: { name: two },
    humanUsers: [user(eve)],
    userGrants: [{ userId: eve, projectId: project, projectGrantId: grant, roleKeys: ["admin"] }],
  };
  return { orgs: [first, second], ids: { one: one as string, two: two as string, ada, eve } };
}

function policies(orgId: string, idp: string): object {
  return {
    domainPolicy: { orgId, userLoginMustBeDomain: false, validateOrgDomains: true },
    labelPolicy: { primaryColor: "#5469d4", warnColor: "#cd3d56", backgroundColor: "#fafafa", fontColor: "#000000" },
    lockoutPolicy: { maxPasswordAttempts: "5" },
    loginPolicy: {
      allowUsernamePassword: true,
      allowExternalIdp: true,
      passwordCheckLifetime: "864000s",
      secondFactors: ["SECOND_FACTOR_TYPE_OTP"],
      idps: [{ idpId: idp, ownerType: "IDP_OWNER_TYPE_ORG" }],
    },
    passwordComplexityPolicy: { minLength: "10", hasNumber: true },
    privacyPolicy: { tosLink: "https://example.com/tos" },
  };
}

function texts(): object {
  return {
    loginTexts: [{ language: "de", selectAccountText: { title: "Konto", description: "Wähle" } }],
    initMessages: [TEXTS],
    passwordResetMessages: [TEXTS],
    verifyEmailMessages: [TEXTS],
    verifyPhoneMessages: [SHORT_TEXT],
    domainClaimedMessages: [TEXTS],
    passwordlessRegistrationMessages: [TEXTS],
    verifySmsOtpMessages: [SHORT_TEXT],
    verifyEmailOtpMessages: [TEXTS],
    inviteUserMessages: [TEXTS],
  };
}
