import type { Answer } from "./answer.ts";
import { faultRows } from "./fault-kinds.ts";
import type { Fault } from "./faults.ts";

/** The answer of a status fault, of the service or of a proxy in front of it (service behaviour 2.5, 2.8); undefined for other faults. */
export function statusAnswer(fault: Fault, now: Date): Answer | undefined {
  const answer = faultRows[fault.fault].status?.();
  const retryAfter =
    fault.retryAfterDate === undefined
      ? fault.retryAfter?.toString()
      : new Date(now.getTime() + fault.retryAfterDate * 1000).toUTCString();
  if (answer === undefined || retryAfter === undefined) return answer;
  return { ...answer, headers: { ...answer.headers, "retry-after": retryAfter } };
}
