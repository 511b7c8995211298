import { statSync } from "node:fs";
import { resolve } from "node:path";
import { parseAddress } from "../../admin/address.ts";
import { type AdminApi, createClient } from "../../admin/client.ts";
import type { Credentials } from "../../admin/credentials.ts";
import { createRedactor, Secret } from "../../admin/secret.ts";
import type { Context } from "../../context.ts";
import { parseDurationMs } from "../../contract/duration.ts";
import { readText } from "../../io/input/text.ts";
import { type Peer, ProblemError, type Side } from "../../problem.ts";
import type { Ui } from "../../ui/ui.ts";

/** How the command line names an instance. */
export interface InstanceFlags {
  readonly url: string | undefined;
  readonly tokenFile: string | undefined;
  /** The flag that names the file with the token: `copy` has two of them. */
  readonly tokenFlag?: string;
  readonly insecureHttp: boolean;
  /** How long the service may take for one call, as the command line has it. */
  readonly timeout?: string | undefined;
}

/**
 * A client for the source or the target, from flags and environment (design: "Secrets"). Nothing is sent yet.
 * Raises usage.no-address, usage.bad-address, auth.no-token, auth.bad-token, input.missing, input.unreadable, input.bad-token.
 */
export async function connectTo(side: Side, flags: InstanceFlags, context: Context, ui: Ui): Promise<AdminApi> {
  const env = (name: string): string | undefined => context.env[name] || undefined;
  const variables = variablesOf(side);
  const url = flags.url ?? env(`ZITADEL_${partOf(side)}_DOMAIN`);
  if (url === undefined) throw new ProblemError({ code: "usage.no-address", side });
  const address = parseAddress(url, side, flags.insecureHttp);
  if (flags.insecureHttp && !address.isLoopback && address.origin.startsWith("http:")) {
    ui.warn(`the token goes to ${address.host} unencrypted: anybody on the network between can read it.`);
  }
  return createClient({
    address,
    credentials: await readCredentialsOf(side, variables, flags, context, ui),
    redactor: createRedactor(),
    env: context.env,
    now: context.now,
    log: ui.detail,
    timeoutMs: flags.timeout === undefined ? undefined : parseDurationMs(flags.timeout),
  });
}

/** Names of variables of the environment: of a token's, and how those of client id and secret begin. */
export interface CredentialVariables {
  readonly token: string;
  readonly client: string;
}

function variablesOf(side: Side): CredentialVariables {
  return { token: `PAT_${partOf(side)}_TOKEN`, client: `ORGFERRY_${partOf(side)}_CLIENT` };
}

/** A token out of a file or the environment, or client credentials. Raises auth.no-token, auth.bad-token, input.*. */
export async function readCredentialsOf(
  side: Peer,
  variables: CredentialVariables,
  { tokenFile, tokenFlag = "--token-file" }: Pick<InstanceFlags, "tokenFile" | "tokenFlag">,
  context: Context,
  ui: Ui,
): Promise<Credentials> {
  const env = (name: string): string | undefined => context.env[name] || undefined;
  if (tokenFile !== undefined) return { kind: "token", token: await readTokenFile(tokenFile, tokenFlag, context, ui) };
  const token = env(variables.token);
  if (token !== undefined) {
    // Anything else cannot stand in a header; a line break is what a badly copied token holds.
    if (!TOKEN.test(token.trim())) throw new ProblemError({ code: "auth.bad-token", side });
    return { kind: "token", token: new Secret(token.trim()) };
  }
  const id = env(`${variables.client}_ID`);
  const secret = env(`${variables.client}_SECRET`);
  if (id !== undefined && secret !== undefined) return { kind: "client", id, secret: new Secret(secret) };
  throw new ProblemError({ code: "auth.no-token", side, flag: tokenFlag });
}

/** What the names of the side's variables have in them. */
function partOf(side: Side): "EXPORT" | "IMPORT" {
  return side === "source" ? "EXPORT" : "IMPORT";
}

const TOKEN = /^[\x21-\x7e]+$/;

async function readTokenFile(path: string, flag: string, context: Context, ui: Ui): Promise<Secret> {
  const text = (await readText(path, { ...context, flag })).trim();
  const mode = statSync(resolve(context.cwd, path), { throwIfNoEntry: false })?.mode ?? 0;
  if (process.platform !== "win32" && (mode & 0o004) !== 0) {
    ui.warn(`${path} can be read by every user of this machine; chmod 600 keeps the token yours.`);
  }
  if (!TOKEN.test(text)) throw new ProblemError({ code: "input.bad-token", file: path });
  return new Secret(text);
}
