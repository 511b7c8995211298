import { ProblemError, type RunProblem } from "../../problem.ts";
import { describe } from "../../ui/describe.ts";
import { sentences } from "../../ui/description.ts";

/** What came of looking at one thing. `warn`: some commands would go on all the same. */
export interface Check {
  readonly name: string;
  readonly status: "ok" | "warn" | "fail";
  readonly detail: string;
  /** Why it failed. */
  readonly problem?: RunProblem;
}

export function ok(name: string, detail: string): Check {
  return { name, status: "ok", detail };
}

export function warn(name: string, detail: string): Check {
  return { name, status: "warn", detail };
}

/** What a look raised, in words. Anything but a problem, and an interrupt, is raised on. */
export function failed(name: string, error: unknown, status: "warn" | "fail" = "fail"): Check {
  if (!(error instanceof ProblemError) || error.problem.code === "run.aborted") throw error;
  return { name, status, detail: sentences(describe(error.problem)), problem: error.problem };
}
