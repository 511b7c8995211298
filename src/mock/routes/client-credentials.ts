import { randomBytes } from "node:crypto";
import { type Answer, jsonAnswer } from "../http/answer.ts";
import { type Call, headerOf, type Instance } from "../state/instance.ts";

/** Without it the administration API does not take the token (service behaviour 7). */
const AUDIENCE = "urn:zitadel:iam:org:project:id:zitadel:aud";

/** `POST /oauth/v2/token`, client credentials flow; errors in OAuth's own shape (service behaviour 7). */
export async function issueToken(call: Call, instance: Instance): Promise<Answer> {
  const form = new URLSearchParams(Buffer.from(call.body).toString());
  const grantType = form.get("grant_type");
  if (grantType === null) return refused(400, "invalid_request", "grant_type missing");
  if (grantType !== "client_credentials") return refused(400, "unsupported_grant_type", `${grantType} not supported`);
  const [id, secret] = credentialsOf(call, form);
  const client = instance.seed.clients.find(({ clientId, clientSecret }) => clientId === id && clientSecret === secret);
  if (client === undefined) return refused(401, "invalid_client", "invalid client_id or client_secret");
  const token = randomBytes(32).toString("base64url");
  const { expiresInSeconds, roles, clientId } = client;
  instance.grants.set(token, {
    userId: clientId,
    roles,
    expiresAt: new Date(instance.now().getTime() + expiresInSeconds * 1000),
    audience: (form.get("scope") ?? "").split(" ").includes(AUDIENCE),
  });
  return jsonAnswer({ access_token: token, token_type: "Bearer", expires_in: expiresInSeconds });
}

/** Basic authentication with both halves URL-encoded, or fields of the form. */
function credentialsOf(call: Call, form: URLSearchParams): readonly [string | null, string | null] {
  const basic = /^basic +(\S+)$/i.exec(headerOf(call, "authorization") ?? "")?.[1];
  if (basic === undefined) return [form.get("client_id"), form.get("client_secret")];
  const text = Buffer.from(basic, "base64").toString();
  const at = text.indexOf(":");
  try {
    return [formDecoded(text.slice(0, at)), formDecoded(text.slice(at + 1))];
  } catch {
    return [null, null];
  }
}

function formDecoded(text: string): string {
  return decodeURIComponent(text.replaceAll("+", " "));
}

function refused(status: number, error: string, description: string): Answer {
  return jsonAnswer({ error, error_description: description }, status);
}
