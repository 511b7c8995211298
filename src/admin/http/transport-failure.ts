import type { NetReason, ServiceProblem } from "../../problem.ts";
import type { InstanceAddress } from "../address.ts";
import { DeadlinePassed, type ExchangeFailed, type ExchangeLimits, TooManyBytes } from "./exchange.ts";

const REASONS: Readonly<Record<string, NetReason>> = {
  ECONNREFUSED: "refused",
  ENOTFOUND: "dns",
  EAI_AGAIN: "dns",
  UND_ERR_CONNECT_TIMEOUT: "connect-timeout",
  ETIMEDOUT: "connect-timeout",
  ECONNRESET: "reset",
  EPIPE: "reset",
  UND_ERR_SOCKET: "reset",
  EPROTO: "tls",
  // A server that responds to a TLS greeting without TLS.
  ERR_SSL_WRONG_VERSION_NUMBER: "http-expected",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "http-expected",
  CERT_HAS_EXPIRED: "tls",
  DEPTH_ZERO_SELF_SIGNED_CERT: "tls",
  SELF_SIGNED_CERT_IN_CHAIN: "tls",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "tls",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "tls",
  ERR_TLS_CERT_ALTNAME_INVALID: "tls",
  UND_ERR_PRX_TLS: "tls",
  UND_ERR_ABORTED: "proxy",
};

/** Errors of undici for an invalid HTTP answer, besides the parser's. */
const BROKEN = new Set(["UND_ERR_HEADERS_OVERFLOW"]);

/**
 * The problem of a failed exchange; undefined for a bug. `net.unreachable` means that nothing was sent. After any other problem the
 * service may have done work (net.cut-off, net.broken-answer, net.timeout, api.answer-too-large).
 */
export function transportProblem(
  { stage, cause }: ExchangeFailed,
  { host, origin }: Pick<InstanceAddress, "host" | "origin">,
  { answerMs, maxBytes }: ExchangeLimits,
): ServiceProblem | undefined {
  if (cause instanceof TooManyBytes) return { code: "api.answer-too-large", host, limitBytes: maxBytes };
  const detail = codeOf(cause) ?? (cause instanceof Error ? cause.name : "unknown");
  if (stage === "connecting") {
    if (detail === "UND_ERR_INVALID_ARG") return undefined;
    if (cause instanceof DeadlinePassed)
      return { code: "net.unreachable", host, reason: "connect-timeout", detail: "no connection in time" };
    return { code: "net.unreachable", host, reason: REASONS[detail] ?? guess(detail), detail };
  }
  if (cause instanceof DeadlinePassed)
    return { code: "net.timeout", host, afterMs: answerMs, isSilent: stage === "sent" };
  const isPlain = stage === "sent" && origin.startsWith("http:");
  return isParserError(detail) || BROKEN.has(detail)
    ? { code: "net.broken-answer", host, detail, isPlain }
    : { code: "net.cut-off", host, isPlain };
}

function guess(code: string): NetReason {
  if (isParserError(code)) return "not-http";
  return code.startsWith("ERR_SSL_") || code.startsWith("ERR_TLS_") || code.includes("CERT") ? "tls" : "other";
}

/** The parser's errors have a code such as HPE_INVALID_CONSTANT, or no code. */
function isParserError(code: string): boolean {
  return code.startsWith("HPE_") || code === "HTTPParserError";
}

/** The code of an error, of its cause, or of its first error (a host with two addresses fails with an AggregateError). */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code } = error as NodeJS.ErrnoException;
  if (typeof code === "string") return code;
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return error.cause === undefined ? undefined : codeOf(error.cause);
}
