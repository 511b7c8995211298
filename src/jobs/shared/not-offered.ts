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
 * The same for a call that protects users from harm: only the service's own answer that the call is missing or forbidden counts, and no
 * answer of a proxy or a broken one.
 */
export function withheld(error: unknown): RunProblem | undefined {
  const problem = notOffered(error);
  const isOwn =
    problem !== undefined && ["auth.forbidden", "api.not-an-instance", "api.rejected"].includes(problem.code);
  return isOwn ? problem : undefined;
}

/**
 * Asks once more if the first answer is undefined: a single page of a proxy, or a single empty answer, would otherwise switch off the
 * protection of existing users for a whole run.
 */
export async function askTwice<T>(ask: (isLast: boolean) => Promise<T | undefined>): Promise<T | undefined> {
  return (await ask(false)) ?? (await ask(true));
}

/**
 * True if an import can go on without the answer to an optional call. Without it nothing is decided, so this includes calls that the
 * service rejects or fails at.
 */
export function isNotTold(code: RunProblem["code"]): boolean {
  return code === "auth.forbidden" || code.startsWith("api.");
}

/** True for a call that failed and may be answered later: a network failure, or an error of the service itself. */
export function mayBeAnsweredLater(error: unknown): boolean {
  if (!(error instanceof ProblemError)) return false;
  const { problem } = error;
  if (problem.code === "api.rejected") return problem.status >= 500 && !WITHOUT_METHOD.has(problem.status);
  return problem.code.startsWith("net.");
}

/**
 * The answer to an optional call; undefined if an import can go on without it, and `isNeeded` does not say otherwise. Raises net.*,
 * auth.refused.
 */
export async function ifOffered<T>(
  ask: () => Promise<T>,
  isNeeded: (error: unknown) => boolean = () => false,
): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ProblemError && isNotTold(error.problem.code) && !isNeeded(error)) return undefined;
    throw error;
  }
}
