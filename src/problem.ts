import type { RunProblem } from "./problem/describe.ts";

// The door to everything that can go wrong: one closed union of plain values, and the exit codes. A problem carries a code and typed
// facts, never prose and never the content of a row, a hash or a token. Its words stand beside its facts in problem/<family>.ts.

export type { Cause } from "./problem/cause.ts";
export type { Problem, RunProblem, ServiceProblem } from "./problem/describe.ts";
export type { Deed, InDocument, Peer, Place, Side } from "./problem/facts.ts";
export type { FoundKind } from "./problem/input.ts";
export type { NetReason } from "./problem/network.ts";
export type { AddressFault } from "./problem/peers.ts";
export type { LeftOutReason, Remark } from "./problem/remark.ts";
export type { NotLinked, RowFault, RowProblem, UnknownWord } from "./problem/row.ts";
export type { EmailRule, HashRule, PasswordRule, UnmatchedReason } from "./problem/rules.ts";
export type { OutputKind } from "./problem/run.ts";
export type { MissingColumn } from "./problem/usage.ts";

/** The exit codes that scripts may rely on (design: Exit codes). */
export const exitCodes = {
  done: 0,
  partial: 1,
  usage: 2,
  file: 3,
  auth: 4,
  service: 5,
  network: 6,
  bug: 70,
  interrupted: 130,
  terminated: 143,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The exit code of a run that a problem ended. */
export function exitCodeOf(problem: RunProblem): ExitCode {
  if (problem.code === "run.aborted") {
    return problem.signal === "SIGINT" ? exitCodes.interrupted : exitCodes.terminated;
  }
  const family = problem.code.slice(0, problem.code.indexOf("."));
  switch (family) {
    case "usage":
      return exitCodes.usage;
    case "auth":
      return exitCodes.auth;
    case "api":
      return exitCodes.service;
    case "net":
      return exitCodes.network;
    default:
      return exitCodes.file;
  }
}

/** Thrown where a run cannot go on. Anything else that is thrown is a bug in orgferry (exit 70). */
export class ProblemError extends Error {
  readonly problem: RunProblem;

  constructor(problem: RunProblem, options?: ErrorOptions) {
    super(problem.code, options);
    this.name = "ProblemError";
    this.problem = problem;
  }
}

/** The reader of stdout closed it (`| head -1`). Not a problem: the run ends quietly with 0. */
export class ReaderGone extends Error {
  override readonly name = "ReaderGone";
}
