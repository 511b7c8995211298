import { ProblemError, type RunProblem } from "../../problem.ts";

/** What a call gets that an instance does not know, does not allow, or answers with nonsense. */
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
 * The problem of a call beyond the specification's own that an instance may do without: whoever made it goes on without its answer, and
 * says so. Undefined for everything that must end the run: a refused token, the network, an interrupt, a bug.
 */
export function notOffered(error: unknown): RunProblem | undefined {
  if (!(error instanceof ProblemError)) return undefined;
  const { problem } = error;
  if (problem.code === "api.rejected") return WITHOUT_METHOD.has(problem.status) ? problem : undefined;
  return NOT_OFFERED.has(problem.code) ? problem : undefined;
}

/**
 * Asks once more where the first answer tells nothing: a page of a proxy, or an empty answer, which come once, would otherwise switch off
 * what protects existing users for a whole run.
 */
export async function askTwice<T>(ask: () => Promise<T | undefined>): Promise<T | undefined> {
  return (await ask()) ?? (await ask());
}

/**
 * Whether the refusal of such a call is no reason not to import: the import itself needs none of them. That goes further, because nothing
 * is decided by what is not told: also for a call that the service calls wrong, and for one that it fails at.
 */
export function isNotTold(code: RunProblem["code"]): boolean {
  return code === "auth.forbidden" || code.startsWith("api.");
}
