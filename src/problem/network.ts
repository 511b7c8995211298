import { type ProblemTable, say } from "./description.ts";
import type { OfHost } from "./facts.ts";
import { duration } from "./format.ts";

/** `isPlain`: a call over plain http that got no response; the server may expect https. */
interface MaybeHttps extends OfHost {
  readonly isPlain?: boolean;
}

/** `isSilent`: no response had begun. */
interface TimedOut extends OfHost {
  readonly afterMs: number;
  readonly isSilent?: boolean;
}

interface Unreachable extends OfHost {
  readonly reason: NetReason;
  readonly detail: string;
}

const MAYBE_HTTPS = "Try again. If the server expects https, use the address with https://.";

/** A call without a complete response: exit 6. */
export const networkProblems = {
  "net.unreachable": ({ host, reason, detail }: Unreachable) =>
    say(`${host}: ${netReasons[reason].message} (${detail}).`, tlsHints[detail] ?? netReasons[reason].hint),
  "net.cut-off": ({ host, isPlain }: MaybeHttps) =>
    isPlain === true
      ? say(`${host}: the connection broke before a response began.`, MAYBE_HTTPS)
      : say(`${host}: the connection broke before the response was complete.`, "Try again."),
  "net.broken-answer": ({ host, isPlain, detail }: MaybeHttps & { readonly detail: string }) =>
    say(
      `${host}: invalid HTTP response (${detail}); the service may have carried out the call.`,
      isPlain === true ? MAYBE_HTTPS : "Is there a faulty proxy in front of the instance?",
    ),
  "net.timeout": ({ host, afterMs, isSilent }: TimedOut) =>
    say(
      isSilent === true
        ? `${host}: no response within ${duration(afterMs)}.`
        : `${host}: incomplete response after ${duration(afterMs)}.`,
      "Does a proxy hold the call back? --timeout sets how long the service may take.",
    ),
  "net.service-timeout": ({ host }: OfHost) =>
    say(
      `${host}: the call exceeded its time limit, and it cannot be split.`,
      "Allow more time with --timeout 10m, if the service permits it.",
    ),
  "net.slow-look": ({ host, tookMs }: OfHost & { readonly tookMs: number }) =>
    say(
      `${host}: the answers that are read before a change took ${duration(tookMs)}, and may be out of date. The change was not made.`,
      "Run it again when the connection is faster: what is done stays done.",
    ),
  "net.gateway": ({ host, status }: OfHost & { readonly status: number }) =>
    say(`${host}: the gateway in front of it responded ${status}.`, "Try again later."),
  "net.busy": ({ host, status }: OfHost & { readonly status: number; readonly retryAfterMs?: number }) =>
    say(`${host} is still busy (${status}).`, "Try again later."),
  "net.listen": ({ host, port, reason }: OfHost & { readonly port: number; readonly reason: string }) =>
    say(
      `cannot listen on ${host} port ${port} (${reason}).`,
      NO_ADDRESS.has(reason)
        ? "Choose another address with --host: one of this machine, such as 127.0.0.1 or 0.0.0.0."
        : "Choose another port with --port; 0 picks a free one.",
    ),
} satisfies ProblemTable;

/** The host is no address of this machine. */
const NO_ADDRESS: ReadonlySet<string> = new Set(["ENOTFOUND", "EAI_AGAIN", "EADDRNOTAVAIL", "EINVAL"]);

const netReasons = {
  refused: say("no server is listening there", "Check host and port."),
  dns: say("the host name cannot be resolved", "Check the spelling of the host."),
  tls: say(
    "the TLS connection cannot be trusted",
    "For a private authority, set NODE_EXTRA_CA_CERTS to its certificate file.",
  ),
  "connect-timeout": say(
    "no connection within the time limit",
    "Check host, port and firewall; behind a proxy, set HTTPS_PROXY.",
  ),
  reset: say("the connection was closed", "Try again."),
  "http-expected": say("the server speaks plain http, not https", "Use the address with http://."),
  "https-expected": say("the server speaks https, and the address says http", "Use the address with https://."),
  "not-http": say("the server does not speak HTTP", "Check the port, and whether the address needs https."),
  proxy: say("the proxy refuses the connection", "Check HTTPS_PROXY and NO_PROXY."),
  other: say("it cannot be reached", "Check host, port and network."),
};
export type NetReason = keyof typeof netReasons;

const RENEW = "Its certificate must be renewed; is the clock of this machine right?";
const OLD_TLS = "The server offers no secure version of TLS.";
const tlsHints: Readonly<Record<string, string>> = {
  ERR_TLS_CERT_ALTNAME_INVALID:
    "Its certificate is for another name: check the spelling of the host, and use the name instead of an IP address.",
  CERT_HAS_EXPIRED: RENEW,
  CERT_NOT_YET_VALID: RENEW,
  ERR_SSL_UNSUPPORTED_PROTOCOL: OLD_TLS,
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: OLD_TLS,
  ERR_SSL_TLSV1_UNRECOGNIZED_NAME: "The server does not know this host name: check the spelling.",
};
