import { ProblemError } from "../../problem.ts";
import { MAX_DEPTH } from "./value-scan.ts";
import { BrokenJson } from "./walker.ts";

/** The problem of an input that is not one JSON document. Any other error is returned as it is. */
export function brokenProblem(error: unknown, file: string): unknown {
  return error instanceof BrokenJson ? new ProblemError(factsOf(error, file), { cause: error }) : error;
}

function factsOf({ reason, line, limitBytes }: BrokenJson, file: string): ProblemError["problem"] {
  switch (reason) {
    case "malformed":
      return { code: "input.malformed", file, line };
    case "unclosed":
      return { code: "input.unclosed", file, line };
    case "too-long":
      return { code: "input.row-too-long", file, line, limitBytes };
    case "too-deep":
      return { code: "input.too-deep", file, line, limit: MAX_DEPTH };
    default:
      return reason satisfies never;
  }
}
