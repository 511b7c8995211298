import { Agent, type Dispatcher, EnvHttpProxyAgent } from "undici";
import type { InstanceAddress } from "./address.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** What the service may take longer than the time limit it was given: its answer has to travel, too. */
const MARGIN_MS = 30_000;
const CONNECT_MS = 10_000;

/** Both of undici's silent limits (300 s by default, the hosted service's own limit) follow from the call's time limit. */
export function answerLimitMs(timeoutMs: number): number {
  return timeoutMs + MARGIN_MS;
}

/**
 * The pool of connections to one instance. HTTPS_PROXY, HTTP_PROXY and NO_PROXY (also in small letters) are honoured, except
 * for a loopback address. NODE_EXTRA_CA_CERTS is read by Node itself when it starts, so it holds here too.
 */
export function connect(address: InstanceAddress, env: Environment): Dispatcher {
  const options = { connect: { timeout: CONNECT_MS } };
  const httpProxy = env["http_proxy"] ?? env["HTTP_PROXY"] ?? "";
  const httpsProxy = env["https_proxy"] ?? env["HTTPS_PROXY"] ?? "";
  const noProxy = env["no_proxy"] ?? env["NO_PROXY"] ?? "";
  if (address.isLoopback || (httpProxy === "" && httpsProxy === "")) return new Agent(options);
  return new EnvHttpProxyAgent({ ...options, httpProxy, httpsProxy, noProxy });
}
