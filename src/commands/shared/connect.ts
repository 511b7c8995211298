import { statSync } from "node:fs";
import { resolve } from "node:path";
import { parseAddress, unquoted } from "../../admin/address.ts";
import { type AdminApi, createClient } from "../../admin/client.ts";
import type { Credentials } from "../../admin/credentials.ts";
import { createRedactor, Secret } from "../../admin/secret.ts";
import { createThrottle } from "../../admin/throttle.ts";
import { readInstanceId } from "../../admin/version.ts";
import type { Context } from "../../context.ts";
import { parseDurationMs } from "../../contract/duration.ts";
import { readText } from "../../io/input/text.ts";
import { type Peer, ProblemError, type Side } from "../../problem.ts";
import { isGitHub, maskLine } from "../../ui/machine/github.ts";
import type { Ui } from "../../ui/ui.ts";
import type { Own, Voice } from "./run-command.ts";

/** The flags that name an instance: its address, and a file with its token. */
export interface InstanceFlags extends Partial<Readonly<Record<Side, string>>> {
  readonly tokenFile?: string | undefined;
  /** The flag that names the file with the token; default: `--token-file`. */
  readonly tokenFlag?: string;
  readonly insecureHttp: boolean;
  /** Time limit of one call, a Go duration. */
  readonly timeout?: string;
  /** true: no call may take longer than `timeout`. Otherwise a call that the service answers at once has at least five seconds. */
  readonly isExact?: boolean;
  /** The role that the command needs: a refusal names it, also of a call that needs less. */
  readonly role?: string;
  /** At most so many calls per second. */
  readonly maxRate?: number | undefined;
}

/** The flags of one side, of a command that talks to both instances. */
export function flagsOf(
  side: Side,
  options: InstanceFlags & { readonly sourceTokenFile?: string; readonly targetTokenFile?: string },
): InstanceFlags {
  const tokenFile = side === "source" ? options.sourceTokenFile : options.targetTokenFile;
  return { ...options, tokenFile, tokenFlag: `--${side}-token-file` };
}

/**
 * A client for the source or the target, from flags and environment (design: "Secrets"). Nothing is sent yet.
 * Raises usage.no-address, usage.bad-address, auth.no-token, auth.bad-token, input.missing, input.unreadable, input.bad-token.
 */
export async function connectTo(side: Side, flags: InstanceFlags, context: Context, ui: Ui): Promise<AdminApi> {
  const env = (name: string): string | undefined => context.env[name] || undefined;
  const variables = variablesOf(side);
  const url = flags[side] ?? env(`ZITADEL_${partOf(side)}_DOMAIN`);
  if (url === undefined) throw new ProblemError({ code: "usage.no-address", side });
  const address = parseAddress(url, side, flags.insecureHttp);
  if (flags.insecureHttp && !address.isLoopback && address.origin.startsWith("http:")) {
    ui.warn(`the token goes to ${address.host} unencrypted: it can be read on the network.`);
  }
  return createClient({
    address,
    credentials: await readCredentialsOf(side, variables, flags, context, ui),
    redactor: createRedactor(),
    env: context.env,
    now: context.now,
    log: ui.detail,
    timeoutMs: flags.timeout === undefined ? undefined : parseDurationMs(flags.timeout),
    isExact: flags.isExact,
    role: flags.role,
    turn: createThrottle({ maxRate: flags.maxRate, sleep: context.sleep }),
  });
}

/** Names of environment variables: the name of the token, and the prefix of client id and secret. */
export interface CredentialVariables {
  readonly token: string;
  readonly client: string;
}

function variablesOf(side: Side): CredentialVariables {
  return { token: `PAT_${partOf(side)}_TOKEN`, client: `ORGFERRY_${partOf(side)}_CLIENT` };
}

/** A token from a file or the environment, or client credentials. Raises auth.no-token, auth.bad-token, input.*. */
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
    const bare = withoutScheme(token, variables.token, ui);
    // A header allows nothing else. A badly copied token contains a line break.
    if (!TOKEN.test(bare)) throw new ProblemError({ code: "auth.bad-token", side });
    return { kind: "token", token: new Secret(bare) };
  }
  const id = env(`${variables.client}_ID`);
  const secret = env(`${variables.client}_SECRET`);
  if (id !== undefined && secret !== undefined)
    return { kind: "client", id: unquoted(id), secret: new Secret(unquoted(secret)) };
  throw new ProblemError({
    code: "auth.no-token",
    side,
    flag: tokenFlag,
    isEmpty: context.env[variables.token] === "",
  });
}

/** The part of the variable names that stands for the side. */
function partOf(side: Side): "EXPORT" | "IMPORT" {
  return side === "source" ? "EXPORT" : "IMPORT";
}

/** A header in place of its token. */
const SCHEME = /^(?:authorization:\s*)?bearer\s+/i;

/** The token of a text that may have quotes around it, and in front of it what a header has. @param where the text stands. */
export function withoutScheme(text: string, where: string, ui: Ui): string {
  const header = unquoted(text);
  const token = header.replace(SCHEME, "");
  if (token !== header) ui.say(`${where}: read without the word Bearer in front of the token.`);
  return unquoted(token);
}

const TOKEN = /^[\x21-\x7e]+$/;
/** A line of an .env file, or the answer of a service that has a token in it. */
const AROUND_TOKEN = /^(?:\{|(?:PAT|AUTH0|ZITADEL)_\w+=)/;

async function readTokenFile(path: string, flag: string, context: Context, ui: Ui): Promise<Secret> {
  const text = withoutScheme(await readText(path, { ...context, flag }), path, ui);
  const mode = statSync(resolve(context.cwd, path), { throwIfNoEntry: false })?.mode ?? 0;
  if (process.platform !== "win32" && (mode & 0o004) !== 0) {
    ui.warn(`${path} is readable by every user of this machine. Run chmod 600 on it to protect the token.`);
  }
  if (!TOKEN.test(text) || AROUND_TOKEN.test(text)) throw new ProblemError({ code: "input.bad-token", file: path });
  // GitHub masks its own secrets; this token comes from a file.
  if (isGitHub(context.env)) context.stderr.write(`${maskLine(text)}\n`);
  return new Secret(text);
}

/** Clients for both instances, whose hosts are reported. Raises usage.same-instance, and what connecting raises. */
export async function connectPair(
  options: Parameters<typeof flagsOf>[1],
  { context, ui, report, own }: Voice & { readonly own: Own },
): Promise<[source: AdminApi, target: AdminApi]> {
  const source = own(await connectTo("source", flagsOf("source", options), context, ui));
  const target = own(await connectTo("target", flagsOf("target", options), context, ui));
  report.set({ source: source.address.host, target: target.address.host });
  await refuseSameInstance(source, target, context);
  return [source, target];
}

/** Two addresses may belong to one instance. Raises usage.same-instance. */
async function refuseSameInstance(source: AdminApi, target: AdminApi, { signal }: Context): Promise<void> {
  const { base, host } = source.address;
  const isSameAddress = base === target.address.base;
  const id = isSameAddress ? undefined : await readInstanceId(source, signal);
  if (isSameAddress || (id !== undefined && id === (await readInstanceId(target, signal))))
    throw new ProblemError({ code: "usage.same-instance", host });
}
