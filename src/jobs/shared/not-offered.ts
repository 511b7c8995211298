import { ProblemError, type RunProblem } from "../../problem.ts";

/** The problems of a call that an instance does not know, does not allow, or gives an unreadable answer to. */
const NOT_OFFERED: ReadonlySet<RunProblem["code"]> = new Set([
  "auth.forbidden",
  "api.not-an-instance",
  "api.not-json",
  "api.unexpected",
  "api.redirected",
  "api.events-stuck",
  "api.answer-too-large",
]);
const WITHOUT_METHOD = new Set([405, 415, 501]);

/**
 * The problem of an optional call, one beyond the specification: the caller reports it and continues without an answer. Undefined for errors
 * that must end the run: a refused token, the network, an interrupt, a bug.
 */
export function notOffered(error: unknown): RunProblem | undefined {
  if (!(error instanceof ProblemError)) return undefined;
  const { problem } = error;
  if (problem.code === "api.rejected") return WITHOUT_METHOD.has(problem.status) ? problem : undefined;
  return NOT_OFFERED.has(problem.code) ? problem : undefined;
}

/**
 * Asks once more if the first answer is undefined: a single page of a proxy, or a single empty answer, would otherwise switch off the
 * protection of existing users for a whole run.
 */
export async function askTwice<T>(ask: () => Promise<T | undefined>): Promise<T | undefined> {
  return (await ask()) ?? (await ask());
}

/**
 * True if an import can go on without the answer to an optional call. Without it nothing is decided, so this includes calls that the
 * service rejects or fails at.
 */
export function isNotTold(code: RunProblem["code"]): boolean {
  return code === "auth.forbidden" || code.startsWith("api.");
}

/** The answer to an optional call; undefined if an import can go on without it. Raises net.*, auth.refused. */
export async function ifOffered<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ProblemError && isNotTold(error.problem.code)) return undefined;
    throw error;
  }
}
