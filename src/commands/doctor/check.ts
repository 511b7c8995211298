import { describe } from "../../problem/describe.ts";
import { sentences } from "../../problem/description.ts";
import { ProblemError, type RunProblem } from "../../problem.ts";

/** The result of one check. `warn`: some commands work in spite of it. */
export interface Check {
  readonly name: string;
  readonly status: "ok" | "warn" | "fail";
  readonly detail: string;
  /** The reason of a failure. */
  readonly problem?: RunProblem;
}

export function ok(name: string, detail: string): Check {
  return { name, status: "ok", detail };
}

export function warn(name: string, detail: string): Check {
  return { name, status: "warn", detail };
}

/** The failed check of a raised problem. Raises an interrupt and every error that is no problem again. */
export function failed(name: string, error: unknown, status: "warn" | "fail" = "fail"): Check {
  if (!(error instanceof ProblemError) || error.problem.code === "run.aborted") throw error;
  return { name, status, detail: sentences(describe(error.problem)), problem: error.problem };
}
