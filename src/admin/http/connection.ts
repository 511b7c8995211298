import { Agent, type Dispatcher, EnvHttpProxyAgent } from "undici";
import { ProblemError } from "../../problem.ts";
import type { InstanceAddress } from "../address.ts";
import { Secret } from "../secret.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Added to the service's time limit, for the transfer of the answer. */
const MARGIN_MS = 30_000;
const CONNECT_MS = 10_000;
const CLOSE_MS = 1_000;

/** The time limit of an exchange, from the time limit of the service. */
export function answerLimitMs(timeoutMs: number): number {
  return timeoutMs + MARGIN_MS;
}

/** The connections to one instance. */
export interface Connection {
  readonly dispatcher: Dispatcher;
  /** The credentials in the addresses of the proxies. */
  readonly secrets: readonly Secret[];
  /** Ends all exchanges, and waits at most a second for connections to close. */
  close(): Promise<void>;
}

/**
 * The pool of connections to one instance. Uses HTTPS_PROXY, HTTP_PROXY and NO_PROXY (also in lower case), except for a loopback
 * address. Node itself reads NODE_EXTRA_CA_CERTS at its start. Raises usage.bad-proxy.
 */
export function connect(address: InstanceAddress, env: Environment): Connection {
  const options = { connect: { timeout: CONNECT_MS } };
  const http = readProxy(["http_proxy", "HTTP_PROXY"], env);
  const https = readProxy(["https_proxy", "HTTPS_PROXY"], env);
  const noProxy = env["no_proxy"] ?? env["NO_PROXY"] ?? "";
  const isDirect = address.isLoopback || (http === undefined && https === undefined);
  const dispatcher = isDirect
    ? new Agent(options)
    : new EnvHttpProxyAgent({ ...options, httpProxy: http?.href ?? "", httpsProxy: https?.href ?? "", noProxy });
  return { dispatcher, secrets: isDirect ? [] : secretsOf([http, https]), close: () => close(dispatcher) };
}

/** A connection that is being opened cannot be cancelled, so the wait for it is limited. */
async function close(dispatcher: Dispatcher): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, CLOSE_MS);
  });
  await Promise.race([dispatcher.destroy(), late]);
  clearTimeout(timer);
}

const SCHEMES = new Set(["http:", "https:", "socks5:", "socks:"]);
const HOST_AND_PORT = /^[\w.-]+(:\d{1,5})?$/;

/** The proxy of the first variable that is set. Problems do not repeat its value, which may hold a password. */
function readProxy(names: readonly string[], env: Environment): URL | undefined {
  const name = names.find((candidate) => env[candidate] !== undefined);
  const value = (env[name ?? ""] ?? "").trim();
  if (name === undefined || value === "") return undefined;
  const url = parsed(value);
  if (url !== undefined && SCHEMES.has(url.protocol) && url.hostname !== "") return url;
  const suggestion = HOST_AND_PORT.test(value) ? `http://${value}` : "http://proxy.example.com:3128";
  throw new ProblemError({ code: "usage.bad-proxy", variable: name, suggestion });
}

function parsed(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

function secretsOf(proxies: readonly (URL | undefined)[]): Secret[] {
  return proxies.flatMap((url) => {
    if (url === undefined || url.password === "") return [];
    const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
    return [new Secret(password), new Secret(Buffer.from(`${user}:${password}`).toString("base64"))];
  });
}
