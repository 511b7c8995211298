import type { FaultKind } from "../../api.ts";
import { type Answer, jsonAnswer } from "../../http/answer.ts";
import { type Fault, statusAnswer } from "../../http/faults.ts";

/** A refusal in the source provider's shape. */
export function sourceError(statusCode: number, error: string, message: string, errorCode?: string): Answer {
  return jsonAnswer({ statusCode, error, message, errorCode }, statusCode);
}

/** Calls per second in the smallest plan. */
const RATE_LIMIT = 2;

/** The refusals in the source provider's words; it answers the other statuses as the service. */
const refusals: Partial<Record<FaultKind, Answer>> = {
  "401": sourceError(401, "Unauthorized", "Expired token received for JSON Web Token validation", "invalid_token"),
  "403": sourceError(403, "Forbidden", "Insufficient scope, expected any of: read:users", "insufficient_scope"),
  "404": sourceError(404, "Not Found", "The job does not exist", "inexistent_job"),
  "429": sourceError(429, "Too Many Requests", "Global limit has been reached", "too_many_requests"),
};

/**
 * The answer of a status fault that strikes a call to the source provider. 429 names the second from which calls are accepted
 * again, and has Retry-After only if the fault has a date.
 */
export function sourceStatusAnswer(fault: Fault, now: Date): Answer | undefined {
  const ofService = statusAnswer(fault, now);
  const refused = refusals[fault.fault] ?? ofService;
  if (refused === undefined || fault.fault !== "429") return refused;
  return {
    ...refused,
    headers: {
      ...(fault.retryAfterDate === undefined ? {} : ofService?.headers),
      "x-ratelimit-limit": String(RATE_LIMIT),
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": String(Math.ceil(now.getTime() / 1000) + (fault.retryAfter ?? 1)),
    },
  };
}
