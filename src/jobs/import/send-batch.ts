import { type Attempts, mayHaveWorked, remedyFor, remedyForSmallest } from "../../admin/retry.ts";
import { toBody } from "../../core/transfer/batch-body.ts";
import type { BatchPolicy } from "../../core/transfer/batch-policy.ts";
import type { Existing } from "../../core/transfer/batch-result.ts";
import { type Batch, countElements, halve } from "../../core/transfer/batches.ts";
import type { DoneEntry } from "../../core/transfer/journal-entries.ts";
import { type Outcome, toOutcome } from "../../core/transfer/outcome.ts";
import { ProblemError, type RunProblem } from "../../problem.ts";
import { leaveOpenNames, ownObjects } from "./own-objects.ts";
import { type JobProgress, rangeOf } from "./progress.ts";
import { readResult } from "./read-result.ts";
import type { SendContext } from "./send-context.ts";

// The way of one batch: halved if it is too large by now, tried until it has an answer (trySending), and each try: body, journal,
// call, answer, what was this job's own, outcome, journal (attempt).

/** Sends one batch until it is settled, in smaller pieces where the service asks for that. Raises what retries do not get over. */
export async function sendBatch(
  batch: Batch,
  context: SendContext,
  progress: JobProgress,
  policy: BatchPolicy,
): Promise<void> {
  const { users, bytes } = policy.limits;
  const tooMany = countElements(batch) > users;
  const halves = tooMany || batch.bytes > bytes ? halve(batch, tooMany ? "count" : "bytes") : undefined;
  if (halves === undefined) return trySending(batch, context, progress, policy);
  for (const half of halves) await sendBatch(half, context, progress, policy);
}

async function trySending(
  batch: Batch,
  context: SendContext,
  progress: JobProgress,
  policy: BatchPolicy,
): Promise<void> {
  const { retry, signal } = context;
  const begun = progress.clock;
  let attempts: Attempts = { busy: 0, network: 0 };
  for (;;) {
    try {
      await attempt(batch, context, progress);
      policy.wentWell();
      return;
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      const { problem } = error;
      if (mayHaveWorked(problem)) progress.lose(batch, begun);
      else progress.forget(batch);
      let remedy = remedyFor(problem, attempts, retry.random);
      if (remedy.kind === "halve-by-count" || remedy.kind === "halve-by-bytes") {
        if (shrink(batch, problem, remedy.kind, context, policy)) return sendBatch(batch, context, progress, policy);
        remedy = remedyForSmallest(problem, attempts, retry.random);
      }
      if (remedy.kind !== "again") throw error;
      attempts = { ...attempts, [remedy.reason]: attempts[remedy.reason] + 1 };
      retry.onPause(problem, remedy.pauseMs);
      await retry.sleep(remedy.pauseMs, signal);
    }
  }
}

/** False for a batch that cannot be made smaller. */
function shrink(
  batch: Batch,
  problem: RunProblem,
  how: "halve-by-count" | "halve-by-bytes",
  { onSmaller }: SendContext,
  policy: BatchPolicy,
): boolean {
  if (countElements(batch) < 2) return false;
  if (how === "halve-by-count") policy.tookTooLong(countElements(batch));
  else policy.wasTooLarge(batch.bytes);
  onSmaller(problem, policy.limits);
  return true;
}

async function attempt(batch: Batch, context: SendContext, progress: JobProgress): Promise<void> {
  const { api, scan, journal, timeout, signal } = context;
  const body = toBody(batch, scan, timeout.text);
  journal.append({ kind: "sending", ...rangeOf(batch) });
  const users = progress.begin(batch);
  const answer = await api.importData(body, timeout.ms, signal);
  progress.clock = answer.date ?? progress.clock;
  const said = await readResult(answer, batch, { redactor: api.redactor, scan });
  const result = leaveOpenNames(said, progress.state);
  const isOurs = await ownObjects(result.existing, batch, context, progress);
  const outcome = toOutcome(result, { isOurs, isRepeat: repeats(batch, context, progress), ...context });
  const entry = toEntry(batch, users, outcome);
  progress.settle(batch, entry);
  try {
    journal.append(entry);
  } finally {
    context.onDone(entry); // what was answered counts, also when the disk is full
  }
}

/** Tells users whose id this job has sent before; only where it matters, because it takes memory. */
function repeats(batch: Batch, { failOnExisting }: SendContext, progress: JobProgress): (entry: Existing) => boolean {
  const repeated = failOnExisting ? progress.repeatedUsers(batch) : undefined;
  return ({ item }) => item !== undefined && repeated?.has(item) === true;
}

function toEntry(batch: Batch, users: number, outcome: Outcome): DoneEntry {
  const { unknown, open, failures } = outcome;
  const lists = { unknown: [...unknown], open: [...open], failures: [...failures] };
  return { kind: "done", ...rangeOf(batch), users, ...outcome, ...lists };
}
