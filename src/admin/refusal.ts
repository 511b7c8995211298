import { grpcCodes } from "../contract/grpc-codes.ts";
import { ServiceError, unwrapError } from "../contract/service-error.ts";
import type { ServiceProblem } from "../problem.ts";
import { parseAs } from "./answer-json.ts";
import type { Clean } from "./secret.ts";

/** An answer other than 2xx, with the beginning of its text. */
export interface Refusal {
  readonly host: string;
  readonly status: number;
  readonly contentType: string;
  readonly location: string;
  readonly retryAfter: string | undefined;
  /** When calls are accepted again, in seconds since 1970. */
  readonly rateLimitReset?: string | undefined;
  readonly text: string;
  /** The role that the call needs (spec: Authentication, 2; service behaviour 1.1 and 1.7). */
  readonly role: string;
  readonly sentBytes: number;
}

/**
 * The problem of a refusal (service behaviour 2.4 to 2.9), with the service's message without secrets. `now` is needed for a Retry-After
 * with a date.
 */
export function refusalProblem(refusal: Refusal, clean: Clean, now: Date): ServiceProblem {
  const { host, role, sentBytes } = refusal;
  const parsed = parseAs(ServiceError, refusal.text);
  const { status, error } =
    parsed === undefined ? { status: refusal.status, error: undefined } : unwrapError(refusal.status, parsed);
  const message = clean(error?.message ?? "");
  const page = error === undefined && isHtml(refusal) ? { isPage: true } : {};
  if (status >= 300 && status < 400) {
    return { code: "api.redirected", host, location: clean(withoutQuery(refusal.location)) };
  }
  if (status === 400 && ASKS_FOR_TLS.test(refusal.text))
    return { code: "net.unreachable", host, reason: "https-expected", detail: "400" };
  if (isTimeLimit(status, error)) return { code: "net.service-timeout", host };
  switch (status) {
    case 401:
      return { code: "auth.refused", host, message, ...page };
    case 403:
      return { code: "auth.forbidden", host, role, message, ...page };
    case 404:
      return isWithoutRole(error)
        ? { code: "auth.forbidden", host, role, message }
        : { code: "api.not-an-instance", host, ...(message === "" ? {} : { message }) };
    case 413:
      return { code: "api.too-large", host, sentBytes };
    case 429:
      if (!isOverSize(error)) return busy(refusal, now);
      return { code: "api.too-large", host, sentBytes, ...answerLimit(error) };
    case 503:
      return busy(refusal, now);
    case 502:
    case 504:
      return { code: "net.gateway", host, status };
    default:
      return "isPage" in page
        ? { code: "api.not-json", host, status, html: true }
        : { code: "api.rejected", host, status, message: message === "" ? clean(refusal.text, 200) : message };
  }
}

/** Answers to plain http on a TLS port: by nginx, Apache and servers written in Go. */
const ASKS_FOR_TLS =
  /plain HTTP request was sent to HTTPS port|speaking plain HTTP to an SSL|HTTP request to an HTTPS server/i;

/** True for a web page, for example of a proxy or a login. */
export function isHtml({ contentType, text }: Pick<Refusal, "contentType" | "text">): boolean {
  return /\bhtml\b/i.test(contentType) || /^\s*<(!doctype|html|head|body)/i.test(text);
}

/** The service answers "not found" to a token without any role (service behaviour 0.18). */
function isWithoutRole(error: ServiceError | undefined): boolean {
  return error !== undefined && /AUTHZ-cdgFk|membership not found/i.test(error.message);
}

/** A call that exceeds its `timeout` is answered by 500 with code 2, or 504 with code 4 (service behaviour 2.5). */
function isTimeLimit(status: number, error: ServiceError | undefined): boolean {
  if (error === undefined || status < 500) return false;
  if (error.code === grpcCodes.deadlineExceeded.code) return true;
  return error.code === grpcCodes.unknown.code && /context deadline exceeded/.test(error.message);
}

/** The service's size limit of a message looks like rate limiting, but waiting does not help (service behaviour 2.9). */
function isOverSize(error: ServiceError | undefined): boolean {
  return error?.code === grpcCodes.resourceExhausted.code && /larger than max/.test(error.message);
}

/** The limit of an answer that the service could not send (service behaviour 9.7); empty for a call that is too large. */
function answerLimit(error: ServiceError | undefined): { readonly answerLimitBytes?: number } {
  const [, limit] = /trying to send message larger than max \(\d+ vs\. (\d+)\)/.exec(error?.message ?? "") ?? [];
  return limit === undefined ? {} : { answerLimitBytes: Number(limit) };
}

function busy({ host, status, retryAfter }: Refusal, now: Date): ServiceProblem {
  const retryAfterMs = retryAfter === undefined ? undefined : readRetryAfterMs(retryAfter, now);
  return { code: "net.busy", host, status, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}

/** Milliseconds of a Retry-After with seconds or an HTTP date; undefined for other texts. */
export function readRetryAfterMs(text: string, now: Date): number | undefined {
  if (/^\s*\d+\s*$/.test(text)) return Number(text) * 1000;
  // Date.parse also accepts "-1" and "1.5".
  const date = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
}

function withoutQuery(location: string): string {
  return location.replace(/[?#].*$/s, "");
}
