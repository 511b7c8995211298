import { randomBytes } from "node:crypto";
import { type Answer, jsonAnswer } from "../../http/answer.ts";
import { grantOf } from "../../http/auth.ts";
import { parsedJson } from "../../http/json.ts";
import { type Call, headerOf, type Instance } from "../../state/instance.ts";
import { sourceError } from "./answers.ts";

/** The refusal of a call without a valid token, in the source provider's words. */
export function withoutToken(call: Call, { grants, now }: Instance): Answer | undefined {
  const grant = grantOf(headerOf(call, "authorization") ?? "", grants, now());
  return grant === undefined ? sourceError(401, "Unauthorized", "Invalid token") : undefined;
}

/** `POST /oauth/token`: the client credentials flow, for the clients of the seed, with the tenant's own address as audience. */
export async function issueSourceToken(call: Call, instance: Instance): Promise<Answer> {
  const { grant_type: grantType, client_id: id, client_secret: secret, audience } = objectIn(call.body);
  if (grantType !== "client_credentials") return refused(403, "unsupported_grant_type", "Unsupported grant type");
  const client = instance.seed.clients.find(({ clientId, clientSecret }) => clientId === id && clientSecret === secret);
  if (client === undefined) return refused(401, "access_denied", "Unauthorized");
  if (!isOwnAudience(audience, call))
    return refused(403, "access_denied", `Service not enabled within domain: ${audience}`);
  const token = randomBytes(32).toString("base64url");
  const { expiresInSeconds, roles, clientId, userId = clientId } = client;
  const expiresAt = new Date(instance.now().getTime() + expiresInSeconds * 1000);
  instance.grants.set(token, { userId, roles, expiresAt, issued: true });
  const scope = "read:users read:connections";
  return jsonAnswer({ access_token: token, scope, expires_in: expiresInSeconds, token_type: "Bearer" });
}

function isOwnAudience(audience: unknown, call: Call): boolean {
  const text = String(audience);
  return URL.canParse(text) && new URL(text).host === headerOf(call, "host") && new URL(text).pathname === "/api/v2/";
}

function refused(status: number, error: string, description: string): Answer {
  return jsonAnswer({ error, error_description: description }, status);
}

function objectIn(body: Uint8Array): Readonly<Record<string, unknown>> {
  const value = parsedJson(body);
  return typeof value === "object" && value !== null ? { ...value } : {};
}
