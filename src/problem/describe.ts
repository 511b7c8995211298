import { auth0Problems } from "./auth0.ts";
import type { Description, ProblemsOf } from "./description.ts";
import { inputProblems } from "./input.ts";
import { journalProblems } from "./journal.ts";
import { networkProblems } from "./network.ts";
import { describeRow, isReason, type RowProblem } from "./row.ts";
import { runProblems } from "./run.ts";
import { apiProblems, authProblems } from "./service.ts";
import { usageProblems } from "./usage.ts";

const serviceTable = { ...authProblems, ...apiProblems, ...networkProblems };
const table = {
  ...usageProblems,
  ...inputProblems,
  ...journalProblems,
  ...runProblems,
  ...serviceTable,
  ...auth0Problems,
};

/** What ends a command that talks to an instance. */
export type ServiceProblem = ProblemsOf<typeof serviceTable>;
/** What ends a command. */
export type RunProblem = ProblemsOf<typeof table>;
/** Everything that can go wrong. */
export type Problem = RowProblem | RunProblem;

/** A problem in words. They never contain the content of a row, a hash or a token. */
export function describe(problem: Problem): Description {
  if (isRow(problem)) return describeRow(problem);
  const words = table[problem.code] as (facts: RunProblem) => Description; // the entry of a code takes its facts
  return words(problem);
}

function isRow(problem: Problem): problem is RowProblem {
  return isReason(problem.code);
}
