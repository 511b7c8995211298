import { duration } from "../problem/format.ts";
import type { NetReason, ServiceProblem } from "../problem.ts";
import type { Description } from "./description.ts";

type NetworkProblem = Extract<ServiceProblem, { code: `net.${string}` }>;

/** The prose of calls that got no whole answer. */
export function describeNetwork(problem: NetworkProblem): Description {
  switch (problem.code) {
    case "net.unreachable":
      return {
        message: `${problem.host}: ${netReasons[problem.reason]} (${problem.detail}).`,
        hint: hintFor(problem),
      };
    case "net.cut-off":
      return problem.isPlain === true
        ? { message: `${problem.host}: the connection broke before anything was answered.`, hint: MAYBE_HTTPS }
        : { message: `${problem.host}: the connection broke before the answer was complete.`, hint: "Try again." };
    case "net.broken-answer":
      return {
        message: `${problem.host}: what came back is no answer by the rules of HTTP (${problem.detail}); the call may have been carried out.`,
        hint: problem.isPlain === true ? MAYBE_HTTPS : "Is there a proxy in front of the instance that breaks it?",
      };
    case "net.timeout":
      return {
        message:
          problem.isSilent === true
            ? `${problem.host} takes the call and has said nothing for ${duration(problem.afterMs)}.`
            : `${problem.host} had not answered in full after ${duration(problem.afterMs)}.`,
        hint: "Is a proxy holding the call back? --timeout sets how long the service may take.",
      };
    case "net.service-timeout":
      return {
        message: `${problem.host}: the call ran into its time limit, and it cannot be made smaller.`,
        hint: "Give it longer with --timeout 10m, if the service allows it.",
      };
    case "net.gateway":
      return {
        message: `${problem.host}: the gateway in front of it answered ${problem.status}.`,
        hint: "Try again later.",
      };
    case "net.busy":
      return { message: `${problem.host} stays busy (${problem.status}).`, hint: "Try again later." };
    default:
      return problem satisfies never;
  }
}

function hintFor({ reason, detail }: Extract<NetworkProblem, { code: "net.unreachable" }>): string {
  if (PLAIN_HTTP.test(detail)) return "What listens there speaks plain http: give the address with http://.";
  return tlsHints[detail] ?? netHints[reason];
}

const netReasons: Readonly<Record<NetReason, string>> = {
  refused: "nothing is listening there",
  dns: "the host name cannot be resolved",
  tls: "the TLS connection cannot be trusted",
  "connect-timeout": "no connection within the time limit",
  reset: "the connection was closed",
  "https-expected": "the server there speaks https, and the address says http",
  "not-http": "the server there does not speak HTTP",
  proxy: "the proxy refuses the connection",
  other: "it cannot be reached",
};

/** What answers a TLS greeting without TLS. */
const PLAIN_HTTP = /^(ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG)$/;

const MAYBE_HTTPS = "Try again. If the server there speaks https, give the address with https://.";
const RENEW = "Its certificate must be renewed; is the clock of this machine right?";
const OTHER_NAME =
  "Its certificate is for another name: check the spelling of the host, and give the name in place of an IP address.";
const OLD_TLS = "It offers no version of TLS that is still safe.";
const tlsHints: Readonly<Record<string, string>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: OTHER_NAME,
  CERT_HAS_EXPIRED: RENEW,
  CERT_NOT_YET_VALID: RENEW,
  ERR_SSL_UNSUPPORTED_PROTOCOL: OLD_TLS,
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: OLD_TLS,
  ERR_SSL_TLSV1_UNRECOGNIZED_NAME: "It knows no host of that name: check the spelling.",
};

const netHints: Readonly<Record<NetReason, string>> = {
  refused: "Check host and port.",
  dns: "Check the spelling of the host.",
  tls: "For a private authority, set NODE_EXTRA_CA_CERTS to its certificate file.",
  "connect-timeout": "Check host, port and firewall; behind a proxy, set HTTPS_PROXY.",
  reset: "Try again.",
  "https-expected": "Give the address with https://.",
  "not-http": "Is it https where http is meant, or the wrong port?",
  proxy: "Check HTTPS_PROXY and NO_PROXY.",
  other: "Check host, port and network.",
};
