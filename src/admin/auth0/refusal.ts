import { Auth0Error } from "../../contract/auth0.ts";
import type { RunProblem } from "../../problem.ts";
import { parseAs } from "../answer-json.ts";
import { isHtml, type Refusal, readRetryAfterMs } from "../refusal.ts";
import type { Clean } from "../secret.ts";

/** The problem of a refusal by Auth0's Management API. `refusal.role` is the scope that the call needs. */
export function auth0Refusal(refusal: Refusal, clean: Clean, now: Date): RunProblem {
  const { host, status } = refusal;
  const error = parseAs(Auth0Error, refusal.text);
  const message = clean(error?.message ?? error?.error_description ?? error?.error ?? "");
  if (status >= 300 && status < 400) {
    return { code: "api.redirected", host, location: clean(refusal.location.replace(/[?#].*$/s, "")) };
  }
  switch (status) {
    case 401:
      return { code: "auth.tenant-refused", host, message };
    case 403:
      return { code: "auth.no-scope", host, scope: refusal.role, message };
    case 404:
      return { code: "api.not-a-tenant", host };
    case 429:
    case 503:
      return busy(refusal, now);
    case 500:
    case 502:
    case 504:
      return { code: "net.gateway", host, status };
    default:
      return error === undefined && isHtml(refusal)
        ? { code: "api.not-json", host, status, html: true }
        : { code: "api.rejected", host, status, message };
  }
}

/** The problem of a refused download: the link has expired, unless the host is busy or broken. */
export function linkRefusal(refusal: Refusal, clean: Clean, now: Date): RunProblem {
  const { host, status } = refusal;
  if (status === 429 || status === 503) return busy(refusal, now);
  if (status >= 500) return { code: "net.gateway", host, status };
  if (status >= 400) return { code: "api.link-refused", host, status };
  return auth0Refusal(refusal, clean, now);
}

/** Uses Retry-After, or else x-ratelimit-reset, the second in which calls are accepted again. */
function busy({ host, status, retryAfter, rateLimitReset }: Refusal, now: Date): RunProblem {
  const fromHeader = retryAfter === undefined ? undefined : readRetryAfterMs(retryAfter, now);
  const fromReset = /^\d{9,12}$/.test(rateLimitReset?.trim() ?? "")
    ? Math.max(0, Number(rateLimitReset) * 1000 - now.getTime())
    : undefined;
  const retryAfterMs = fromHeader ?? fromReset;
  return { code: "net.busy", host, status, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}
