import type { Problem } from "../problem.ts";

/** What a command tells about itself while it runs, so that a run that fails half-way still reports what it knows. */
export interface Report {
  /** Merges keys into the report (design: "The report"). */
  set(fields: Readonly<Record<string, unknown>>): void;
  /** Lists a problem in the report; the command itself decides whether a person sees it as well. */
  add(problem: Problem): void;
}

/** As many rows at fault are listed in the report; all of them are counted. */
export const LISTED_PROBLEMS = 1_000;
