import { type Answer, Refusal, refusalAnswer } from "./answer.ts";
import type { Fault } from "./faults.ts";

/** The page of a proxy in front of the service. */
export function htmlPage(title: string, status: number): Answer {
  const body = `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n</body>\r\n</html>\r\n`;
  return { status, headers: { "content-type": "text/html" }, body };
}

/** The answer of a status fault: of the service, or of a proxy in front of it (service behaviour 2.5, 2.8). */
export function statusAnswer(fault: Fault, now: Date): Answer {
  const answer = plainStatusAnswer(fault);
  const retryAfter =
    fault.retryAfterDate === undefined
      ? fault.retryAfter?.toString()
      : new Date(now.getTime() + fault.retryAfterDate * 1000).toUTCString();
  if (retryAfter === undefined) return answer;
  return { ...answer, headers: { ...answer.headers, "retry-after": retryAfter } };
}

function plainStatusAnswer({ fault }: Fault): Answer {
  switch (fault) {
    case "401":
      return refusalAnswer(new Refusal("unauthenticated", "Errors.Token.Invalid", "AUTH-7fs1e"));
    case "403":
      return refusalAnswer(new Refusal("permissionDenied", "No matching permissions found", "AUTH-5mWD2"));
    case "404":
      return refusalAnswer(new Refusal("notFound", "Not Found"));
    case "405":
      return refusalAnswer(new Refusal("unimplemented", "Method Not Allowed"), 405);
    case "501":
      return refusalAnswer(new Refusal("unimplemented", "Not Implemented"));
    case "413":
      return htmlPage("413 Request Entity Too Large", 413);
    case "429":
      return refusalAnswer(new Refusal("resourceExhausted", "Errors.Quota.Access.Exhausted", "QUOTA-vjAy8"));
    case "502":
      return htmlPage("502 Bad Gateway", 502);
    case "503":
      return refusalAnswer(new Refusal("unavailable", "upstream connect error or disconnect/reset before headers"));
    case "504":
      return refusalAnswer(new Refusal("deadlineExceeded", "context deadline exceeded"));
    default:
      return refusalAnswer(new Refusal("internal", "An internal error occurred"));
  }
}
