import { type Answer, jsonAnswer } from "../../http/answer.ts";
import { statusAnswer } from "../../http/fault-answers.ts";
import type { Fault } from "../../http/faults.ts";

/** A refusal in the source provider's shape. */
export function sourceError(statusCode: number, error: string, message: string, errorCode?: string): Answer {
  return jsonAnswer({ statusCode, error, message, ...(errorCode === undefined ? {} : { errorCode }) }, statusCode);
}

/** Calls per second in the smallest plan. */
const RATE_LIMIT = 2;

/** The answer of a status fault that strikes a call to the source provider. */
export function sourceStatusAnswer(fault: Fault, now: Date): Answer {
  switch (fault.fault) {
    case "401":
      return sourceError(401, "Unauthorized", "Expired token received for JSON Web Token validation", "invalid_token");
    case "403":
      return sourceError(403, "Forbidden", "Insufficient scope, expected any of: read:users", "insufficient_scope");
    case "404":
      return sourceError(404, "Not Found", "The job does not exist", "inexistent_job");
    case "429":
      return tooMany(fault, now);
    default:
      return statusAnswer(fault, now);
  }
}

/** It answers the second from which calls are accepted again, and Retry-After only if the fault has one. */
function tooMany(fault: Fault, now: Date): Answer {
  const refused = sourceError(429, "Too Many Requests", "Global limit has been reached", "too_many_requests");
  const { headers } = statusAnswer(fault, now);
  const reset = Math.ceil(now.getTime() / 1000) + (fault.retryAfter ?? 1);
  return {
    ...refused,
    headers: {
      ...(fault.retryAfterDate === undefined ? {} : headers),
      "x-ratelimit-limit": String(RATE_LIMIT),
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": String(reset),
    },
  };
}
