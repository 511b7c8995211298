import { type Answer, jsonAnswer } from "../../http/answer.ts";
import { grantOf } from "../../http/auth.ts";
import { parsedJson } from "../../http/json.ts";
import { type Call, type Handler, headerOf, type Instance } from "../../state/instance.ts";
import { issueGrant, oauthError } from "../instance/client-credentials.ts";
import { sourceError } from "./answers.ts";

/** The handler of calls that need a token; without a valid one, the refusal in the source provider's words. */
export function withToken(handle: Handler): Handler {
  return async (call, instance) => {
    const grant = grantOf(headerOf(call, "authorization") ?? "", instance);
    return grant === undefined ? sourceError(401, "Unauthorized", "Invalid token") : handle(call, instance);
  };
}

/** `POST /oauth/token`: the client credentials flow, for the clients of the seed, with the tenant's own address as audience. */
export async function issueSourceToken(call: Call, instance: Instance): Promise<Answer> {
  const { grant_type: grantType, client_id: id, client_secret: secret, audience } = objectIn(call.body);
  if (grantType !== "client_credentials") return oauthError("unsupported_grant_type", "Unsupported grant type", 403);
  const client = instance.seed.clients.find(({ clientId, clientSecret }) => clientId === id && clientSecret === secret);
  if (client === undefined) return oauthError("access_denied", "Unauthorized", 401);
  if (!isOwnAudience(audience, call))
    return oauthError("access_denied", `Service not enabled within domain: ${audience}`, 403);
  const { token } = issueGrant(client, instance);
  const scope = "read:users read:connections";
  return jsonAnswer({ access_token: token, scope, expires_in: client.expiresInSeconds, token_type: "Bearer" });
}

function isOwnAudience(audience: unknown, call: Call): boolean {
  const text = String(audience);
  return URL.canParse(text) && new URL(text).host === headerOf(call, "host") && new URL(text).pathname === "/api/v2/";
}

function objectIn(body: Uint8Array): Readonly<Record<string, unknown>> {
  const value = parsedJson(Buffer.from(body).toString());
  return typeof value === "object" && value !== null ? { ...value } : {};
}
