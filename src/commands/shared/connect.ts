import { statSync } from "node:fs";
import { resolve } from "node:path";
import { parseAddress } from "../../admin/address.ts";
import { type AdminApi, createClient } from "../../admin/client.ts";
import type { Credentials } from "../../admin/credentials.ts";
import { createRedactor, Secret } from "../../admin/secret.ts";
import type { Context } from "../../context.ts";
import { readText } from "../../io/input/text.ts";
import { type Peer, ProblemError, type Side } from "../../problem.ts";
import type { Ui } from "../../ui/ui.ts";

/** How the command line names an instance. */
export interface InstanceFlags {
  readonly url: string | undefined;
  readonly tokenFile: string | undefined;
  readonly insecureHttp: boolean;
}

/**
 * A client for the source or the target, from flags and environment (design: "Secrets"). Nothing is sent yet.
 * Raises usage.no-address, usage.bad-address, auth.no-token, auth.bad-token, input.missing, input.unreadable, input.bad-token.
 */
export async function connectTo(side: Side, flags: InstanceFlags, context: Context, ui: Ui): Promise<AdminApi> {
  const env = (name: string): string | undefined => context.env[name] || undefined;
  const part = side === "source" ? "EXPORT" : "IMPORT";
  const variables = { token: `PAT_${part}_TOKEN`, client: `ORGFERRY_${part}_CLIENT` };
  const url = flags.url ?? env(`ZITADEL_${part}_DOMAIN`);
  if (url === undefined) throw new ProblemError({ code: "usage.no-address", side });
  const address = parseAddress(url, side, flags.insecureHttp);
  if (flags.insecureHttp && !address.isLoopback && address.origin.startsWith("http:")) {
    ui.warn(`the token goes to ${address.host} unencrypted: anybody on the network between can read it.`);
  }
  return createClient({
    address,
    credentials: await readCredentialsOf(side, variables, flags.tokenFile, context, ui),
    redactor: createRedactor(),
    env: context.env,
    now: context.now,
    log: ui.detail,
  });
}

/** Names of variables of the environment: of a token's, and how those of client id and secret begin. */
export interface CredentialVariables {
  readonly token: string;
  readonly client: string;
}

/** A token out of a file or the environment, or client credentials. Raises auth.no-token, auth.bad-token, input.*. */
export async function readCredentialsOf(
  side: Peer,
  variables: CredentialVariables,
  tokenFile: string | undefined,
  context: Context,
  ui: Ui,
): Promise<Credentials> {
  const env = (name: string): string | undefined => context.env[name] || undefined;
  if (tokenFile !== undefined) return { kind: "token", token: await readTokenFile(tokenFile, context, ui) };
  const token = env(variables.token);
  if (token !== undefined) {
    // Anything else cannot stand in a header; a line break is what a badly copied token holds.
    if (!TOKEN.test(token.trim())) throw new ProblemError({ code: "auth.bad-token", side });
    return { kind: "token", token: new Secret(token.trim()) };
  }
  const id = env(`${variables.client}_ID`);
  const secret = env(`${variables.client}_SECRET`);
  if (id !== undefined && secret !== undefined) return { kind: "client", id, secret: new Secret(secret) };
  throw new ProblemError({ code: "auth.no-token", side });
}

const TOKEN = /^[\x21-\x7e]+$/;

async function readTokenFile(path: string, context: Context, ui: Ui): Promise<Secret> {
  const text = (await readText(path, { ...context, flag: "--token-file" })).trim();
  const mode = statSync(resolve(context.cwd, path), { throwIfNoEntry: false })?.mode ?? 0;
  if (process.platform !== "win32" && (mode & 0o004) !== 0) {
    ui.warn(`${path} can be read by every user of this machine; chmod 600 keeps the token yours.`);
  }
  if (!TOKEN.test(text)) throw new ProblemError({ code: "input.bad-token", file: path });
  return new Secret(text);
}
