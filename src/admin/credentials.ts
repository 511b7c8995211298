import * as z from "zod";
import { endpoints } from "../contract/endpoints.ts";
import { ProblemError } from "../problem.ts";
import { parseAs } from "./answer-json.ts";
import type { Call } from "./call.ts";
import { type Redactor, Secret } from "./secret.ts";

/** How to get a token for an instance. */
export type Credentials =
  | { readonly kind: "token"; readonly token: Secret }
  | { readonly kind: "client"; readonly id: string; readonly secret: Secret };

/** Provides a valid token. */
export interface TokenSource {
  token(signal: AbortSignal): Promise<Secret>;
  /** Called when the service refused the token; true if a new token is available. */
  renew(): boolean;
}

/** Answer of the token endpoint (service behaviour 7). */
const TokenAnswer = z.object({ access_token: z.string().min(1), expires_in: z.number().optional() });
const TokenError = z.object({ error: z.string() });

/** The administration API accepts only a token with the audience of its project (service behaviour 7). */
const SCOPE = "openid profile urn:zitadel:iam:org:project:id:zitadel:aud";
const GRANT_MS = 30_000;
const RENEW_BEFORE_MS = 120_000;

/** A token for client credentials. */
export interface GrantedToken {
  readonly token: Secret;
  /** Milliseconds since 1970, a safe time before the token expires. */
  readonly validUntil: number;
}

export type ClientCredentials = Extract<Credentials, { kind: "client" }>;

/**
 * A fixed token, or tokens for client credentials, renewed before they expire. `limitMs`: time limit of a call for a token. Raises auth.no-grant
 * and net.*.
 */
export function createTokenSource(
  credentials: Credentials,
  call: Call,
  redactor: Redactor,
  limitMs: number,
): TokenSource {
  return tokenSourceOf(credentials, redactor, (client, signal) =>
    grant(client, { call, redactor, limitMs: Math.min(limitMs, GRANT_MS) }, signal),
  );
}

/** The same for another service. @param trade requests a token from it. */
export function tokenSourceOf(
  credentials: Credentials,
  redactor: Redactor,
  trade: (client: ClientCredentials, signal: AbortSignal) => Promise<GrantedToken>,
): TokenSource {
  if (credentials.kind === "token") {
    redactor.add(credentials.token);
    return { token: async () => credentials.token, renew: () => false };
  }
  redactor.add(credentials.secret);
  let current: GrantedToken | undefined;
  return {
    async token(signal) {
      if (current === undefined || Date.now() > current.validUntil) {
        current = await trade(credentials, signal);
        redactor.add(current.token);
      }
      return current.token;
    },
    renew() {
      const had = current !== undefined;
      current = undefined;
      return had;
    },
  };
}

/**
 * Calls with a valid token. If the service refuses a granted token, which may have been revoked, one call with a new token follows. A
 * fixed token cannot be renewed.
 */
export async function withToken<T>(
  tokens: TokenSource,
  use: (authorization: string) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const attempt = async (): Promise<T> => use(`Bearer ${(await tokens.token(signal)).reveal()}`);
  try {
    return await attempt();
  } catch (error) {
    const refused = error instanceof ProblemError && /^auth\.(tenant-)?refused$/.test(error.problem.code);
    if (refused && tokens.renew()) return attempt();
    throw error;
  }
}

async function grant(
  { id, secret }: ClientCredentials,
  { call, redactor, limitMs }: { readonly call: Call; readonly redactor: Redactor; readonly limitMs: number },
  signal: AbortSignal,
): Promise<GrantedToken> {
  // RFC 6749 2.3.1: both are form-encoded before they are joined.
  const basic = new Secret(
    Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret.reveal())}`).toString("base64"),
  );
  redactor.add(basic);
  const answer = await call({
    path: endpoints.token.path,
    headers: { authorization: `Basic ${basic.reveal()}`, "content-type": "application/x-www-form-urlencoded" },
    body: Buffer.from(new URLSearchParams({ grant_type: "client_credentials", scope: SCOPE }).toString()),
    limitMs,
    role: "",
    signal,
    isGrant: true,
  });
  const text = await answer.text();
  const granted = parseAs(TokenAnswer, text);
  if (granted === undefined) {
    const error = answer.clean(parseAs(TokenError, text)?.error ?? "");
    throw new ProblemError({ code: "auth.no-grant", host: answer.host, error });
  }
  return grantedToken(granted.access_token, granted.expires_in);
}

/** @param expiresInSeconds by the token endpoint; default: an hour. */
export function grantedToken(token: string, expiresInSeconds = 3600): GrantedToken {
  const lifeMs = expiresInSeconds * 1000;
  return { token: new Secret(token), validUntil: Date.now() + Math.max(lifeMs - RENEW_BEFORE_MS, lifeMs / 2) };
}
