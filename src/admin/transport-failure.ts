import type { NetReason, ServiceProblem } from "../problem.ts";

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
  CERT_HAS_EXPIRED: "tls",
  DEPTH_ZERO_SELF_SIGNED_CERT: "tls",
  SELF_SIGNED_CERT_IN_CHAIN: "tls",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "tls",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "tls",
  ERR_TLS_CERT_ALTNAME_INVALID: "tls",
  UND_ERR_PRX_TLS: "tls",
};

/**
 * What undici raised for a call that got no whole answer, as a problem; undefined for anything that is not the network's doing.
 * `begun`: the answer had begun to come.
 */
export function transportProblem(
  error: unknown,
  host: string,
  limitMs: number,
  begun: boolean,
): ServiceProblem | undefined {
  const code = codeOf(error);
  if (code === undefined) return undefined;
  if (code === "UND_ERR_HEADERS_TIMEOUT" || code === "UND_ERR_BODY_TIMEOUT") {
    return { code: "net.timeout", host, afterMs: limitMs };
  }
  const reason = REASONS[code] ?? guess(code);
  if (begun && (reason === "reset" || reason === "not-http" || reason === "other"))
    return { code: "net.cut-off", host };
  return { code: "net.unreachable", host, reason, detail: code };
}

function guess(code: string): NetReason {
  if (code.startsWith("HPE_")) return "not-http";
  if (code.startsWith("ERR_SSL_") || code.startsWith("ERR_TLS_") || code.includes("CERT")) return "tls";
  return code === "UND_ERR_ABORTED" ? "proxy" : "other";
}

/** The code of an error, of its cause, or of the first of several (a name with two addresses fails as an AggregateError). */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code } = error as NodeJS.ErrnoException;
  if (typeof code === "string") return code;
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return codeOf(error.cause);
}
