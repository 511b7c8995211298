import type { JsonObject } from "../http/json.ts";
import { generatedId } from "./generated-id.ts";
import type { Instance } from "./instance.ts";

/** Name of the service user that the instance's own token belongs to. */
export const OWNER = "orgferry";

/** A service user, whose token calls the API. */
export interface ServiceUser {
  readonly userId: string;
  readonly userName: string;
}

/** The default organization of a real instance, in the shape of an export (recordings 133, copy 03). */
export function defaultOrg(instance: Instance, serviceUsers: readonly ServiceUser[]): JsonObject {
  const { domain, traits } = instance;
  const [projectId, adminId] = [generatedId(), generatedId()];
  const api = (name: string): JsonObject => ({
    appId: generatedId(),
    app: { projectId, name, authMethodType: "API_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT" },
  });
  const client = { userId: generatedId(), userName: "login-client" };
  const address = `zitadel-admin@zitadel.${domain}`;
  return {
    orgId: generatedId(),
    org: { name: "ZITADEL" },
    projects: [{ projectId, project: { name: "ZITADEL" } }],
    apiApps: ["Management-API", "Admin-API", "Auth-API"].map(api),
    oidcApps: [{ appId: generatedId(), app: consoleApp(projectId, instance) }],
    humanUsers: [
      {
        userId: adminId,
        user: {
          userName: address,
          profile: { firstName: "ZITADEL", lastName: "Admin", preferredLanguage: "en" },
          email: { email: address, isEmailVerified: true },
          // The hash of no password: this user never signs in.
          hashedPassword: { value: `$2a$04$${"x".repeat(53)}` },
        },
      },
    ],
    machineUsers: [...serviceUsers, ...(traits.beginsWith === "login client" ? [client] : [])].map(
      ({ userId, userName }) => ({
        userId,
        user: { userId, userName, name: userName },
      }),
    ),
    orgMembers: [{ userId: adminId, roles: ["ORG_OWNER"] }],
    ...(traits.beginsWith === "project owner"
      ? { projectMembers: [{ projectId, userId: adminId, roles: ["PROJECT_OWNER"] }] }
      : {}),
  };
}

function consoleApp(projectId: string, { domain, origin, traits }: Instance): JsonObject {
  const ofInstance = `http://zitadel-mock.${domain}:${new URL(origin).port}`;
  const both = (path: string): string[] => [`${ofInstance}/ui/console${path}`, `${origin}/ui/console${path}`];
  return {
    projectId,
    redirectUris: both("/auth/callback"),
    responseTypes: ["OIDC_RESPONSE_TYPE_CODE"],
    grantTypes: ["OIDC_GRANT_TYPE_AUTHORIZATION_CODE"],
    appType: "OIDC_APP_TYPE_USER_AGENT",
    authMethodType: "OIDC_AUTH_METHOD_TYPE_NONE",
    postLogoutRedirectUris: both("/signedout"),
    devMode: true,
    clockSkew: "0s",
    name: traits.consoleName,
  };
}
