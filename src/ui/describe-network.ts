import type { NetReason, ServiceProblem } from "../problem.ts";
import type { Description } from "./description.ts";
import { duration } from "./format.ts";

type NetworkProblem = Extract<ServiceProblem, { code: `net.${string}` }>;

/** The prose of calls that got no whole answer. */
export function describeNetwork(problem: NetworkProblem): Description {
  switch (problem.code) {
    case "net.unreachable":
      return {
        message: `${problem.host}: ${netReasons[problem.reason]} (${problem.detail}).`,
        hint: PLAIN_HTTP.test(problem.detail)
          ? "Is it plain http? Then give the address with http://."
          : netHints[problem.reason],
      };
    case "net.cut-off":
      return { message: `${problem.host}: the connection broke before the answer was complete.`, hint: "Try again." };
    case "net.broken-answer":
      return {
        message: `${problem.host}: what came back is no answer by the rules of HTTP (${problem.detail}); the call may have been carried out.`,
        hint: "Is there a proxy in front of the instance that breaks it?",
      };
    case "net.timeout":
      return {
        message: `${problem.host} had not answered in full after ${duration(problem.afterMs)}.`,
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

const netReasons: Readonly<Record<NetReason, string>> = {
  refused: "nothing is listening there",
  dns: "the host name cannot be resolved",
  tls: "the TLS connection cannot be trusted",
  "connect-timeout": "no connection within the time limit",
  reset: "the connection was closed",
  "not-http": "the server there does not speak HTTP",
  proxy: "the proxy refuses the connection",
  other: "it cannot be reached",
};

/** What answers a TLS greeting without TLS. */
const PLAIN_HTTP = /^(ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG)$/;

const netHints: Readonly<Record<NetReason, string>> = {
  refused: "Check host and port.",
  dns: "Check the spelling of the host.",
  tls: "For a private authority, set NODE_EXTRA_CA_CERTS to its certificate file.",
  "connect-timeout": "Check host, port and firewall; behind a proxy, set HTTPS_PROXY.",
  reset: "Try again.",
  "not-http": "Is it https where http is meant, or the wrong port?",
  proxy: "Check HTTPS_PROXY and NO_PROXY.",
  other: "Check host, port and network.",
};
