import { Auth0Error } from "../../contract/auth0.ts";
import type { RunProblem } from "../../problem.ts";
import { isHtml, type Refusal, readRetryAfterMs } from "../refusal.ts";
import type { Clean } from "../secret.ts";

/** What a refusal of Auth0's Management API means. `refusal.role` is the scope that the call needs. */
export function auth0Refusal(refusal: Refusal, clean: Clean, now: Date): RunProblem {
  const { host, status } = refusal;
  const error = readError(refusal.text);
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

/** What it means that the host of a download does not give the file: the link has expired, but for a host that is not well. */
export function linkRefusal(refusal: Refusal, clean: Clean, now: Date): RunProblem {
  const { host, status } = refusal;
  if (status === 429 || status === 503) return busy(refusal, now);
  if (status >= 500) return { code: "net.gateway", host, status };
  if (status >= 400) return { code: "api.link-refused", host, status };
  return auth0Refusal(refusal, clean, now);
}

function readError(text: string): Auth0Error | undefined {
  try {
    return Auth0Error.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Retry-After where it is there; otherwise x-ratelimit-reset, which names the second in which calls are taken again. */
function busy({ host, status, retryAfter, rateLimitReset }: Refusal, now: Date): RunProblem {
  const fromHeader = retryAfter === undefined ? undefined : readRetryAfterMs(retryAfter, now);
  const fromReset = /^\d{9,12}$/.test(rateLimitReset?.trim() ?? "")
    ? Math.max(0, Number(rateLimitReset) * 1000 - now.getTime())
    : undefined;
  const retryAfterMs = fromHeader ?? fromReset;
  return { code: "net.busy", host, status, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}
