import type { Problem } from "../problem.ts";

/** What a command tells about itself while it runs, so that a run that fails half-way still reports what it knows. */
export interface Report {
  /** Merges keys into the report (design: "The report"). */
  set(fields: Readonly<Record<string, unknown>>): void;
  /** Notes how much is done by now, so that a report can tell how fast a run was over time; cheap to call often. */
  mark(done: number): void;
  /** Lists a problem in the report; the command itself decides whether a person sees it as well. */
  add(problem: Problem): void;
  /** Why not everything got through, in one line: all that --quiet leaves of the summary when the exit code is not 0. */
  why(line: string): void;
  /**
   * Keeps an act for the very end, when the report is written; the last one kept comes first. `isTold` is false when the report
   * could not be written: then nothing may go that it would have told.
   */
  lastly(act: (isTold: boolean) => void): void;
}

/** As many rows at fault are listed in the report; all of them are counted. */
export const LISTED_PROBLEMS = 1_000;
