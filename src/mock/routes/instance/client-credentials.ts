import { randomBytes } from "node:crypto";
import { type Answer, jsonAnswer } from "../../http/answer.ts";
import { generatedId } from "../../state/generated-id.ts";
import { type Call, headerOf, type Instance } from "../../state/instance.ts";
import type { Seed } from "../../state/seed.ts";
import { userEvent } from "../../users/human-events.ts";

/** Without it the administration API does not accept the token (service behaviour 7). */
const AUDIENCE = "urn:zitadel:iam:org:project:id:zitadel:aud";

const SCOPE_MISSING =
  "The scope of your request is missing. Please ensure some scopes are requested. If you have any questions, you may contact the " +
  "administrator of the application.";

type Client = Seed["clients"][number];

/** `POST /oauth/v2/token`, client credentials flow; errors in the shape of OAuth (service behaviour 0.20; recordings 103–113). */
export async function issueToken(call: Call, instance: Instance): Promise<Answer> {
  const form = new URLSearchParams(Buffer.from(call.body).toString());
  const grantType = form.get("grant_type");
  if (grantType === null) return oauthError("invalid_request", "grant_type missing");
  if (grantType !== "client_credentials") return oauthError("unsupported_grant_type", `${grantType} not supported`);
  const [id, secret] = credentialsOf(call, form);
  if (id === null) return oauthError("invalid_request", "client_id or client_assertion must be provided");
  const client = instance.seed.clients.find(({ clientId }) => clientId === id);
  if (client === undefined) return oauthError("invalid_client", "client not found");
  if (client.clientSecret !== secret) return oauthError("invalid_request", "Errors.User.Machine.Secret.Invalid");
  const scopes = (form.get("scope") ?? "").split(" ").filter((scope) => scope !== "");
  return scopes.length === 0 ? oauthError("invalid_request", SCOPE_MISSING) : granted(client, scopes, instance);
}

/** A new token of a client. */
export function issueGrant(client: Client, { grants, now }: Instance, audience = true) {
  const token = randomBytes(32).toString("base64url");
  const { expiresInSeconds, roles, clientId, userId = clientId } = client;
  const expiresAt = new Date(now().getTime() + expiresInSeconds * 1000);
  grants.set(token, { userId, roles, expiresAt, audience, issued: true });
  return { token, userId };
}

function granted(client: Client, scopes: readonly string[], instance: Instance): Answer {
  const { token, userId } = issueGrant(client, instance, scopes.includes(AUDIENCE));
  pushTokenEvents(userId, scopes, instance);
  return jsonAnswer({
    access_token: token,
    token_type: "Bearer",
    expires_in: client.expiresInSeconds,
    ...(scopes.includes("openid") ? { id_token: idToken(userId, instance) } : {}),
  });
}

/** The events that each of the two services writes (recordings 146). */
function pushTokenEvents(userId: string, scopes: readonly string[], { store, traits }: Instance): void {
  const orgId = store.state.userOrgs.get(userId) ?? "";
  if (!traits.knowsStates) {
    store.push([userEvent({ userId, orgId, editor: "" }, "user.machine.secret.check.succeeded")]);
    return;
  }
  const about = { aggregateType: "oidc_session", aggregateId: `V2_${generatedId()}`, orgId, editor: "" };
  const payload = {
    id: `at_${generatedId()}`,
    lifetime: 43_200_000_000_000,
    reason: "client_credentials",
    scope: [...scopes],
  };
  store.push([
    { ...about, type: "oidc_session.added" },
    { ...about, type: "oidc_session.access_token.added", payload },
  ]);
}

/** In the form of an id token, with a random signature. */
function idToken(subject: string, { origin }: Instance): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part({ alg: "RS256" })}.${part({ iss: origin, sub: subject })}.${randomBytes(64).toString("base64url")}`;
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

/** An error in the shape of OAuth. */
export function oauthError(error: string, description: string, status = 400): Answer {
  return jsonAnswer({ error, error_description: description }, status);
}
