import { type Attempts, mayHaveWorked, remedyFor, remedyForSmallest } from "../../../admin/retry.ts";
import type { Item } from "../../../core/document/items.ts";
import { userIdOf } from "../../../core/document/user-id.ts";
import { type BatchResult, countOne, type Existing, type Failure } from "../../../core/transfer/answer/batch-result.ts";
import { toOutcome, type Verdict } from "../../../core/transfer/answer/outcome.ts";
import { toBody } from "../../../core/transfer/batch-body.ts";
import type { BatchPolicy } from "../../../core/transfer/batch-policy.ts";
import { type Batch, countElements, halve } from "../../../core/transfer/batches.ts";
import { hasOtpSecret, withoutOtpSecret } from "../../../core/transfer/otp-secret.ts";
import { ProblemError, type RunProblem } from "../../../problem.ts";
import { repeats, settle } from "../ledger.ts";
import { type JobProgress, rangeOf } from "../progress.ts";
import { leaveOpenNames, ownObjects } from "../provenance/provenance.ts";
import { othersInTheWay } from "../provenance/same-object.ts";
import { sendOtpSecrets } from "./otp-secrets.ts";
import { readResult } from "./read-result.ts";
import { removedAreMissing } from "./screen.ts";
import type { SendContext } from "./way.ts";

// The way of one batch to the import endpoint: halved if it is too large by now, tried until it has an answer (trySending), and each
// try: body, journal, call, answer, what was this job's own, outcome, journal (attempt).

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
  const lane = context.lanes.import;
  const begun = progress.clock;
  let attempts: Attempts = { busy: 0, network: 0 };
  for (;;) {
    try {
      const users = Math.max(1, countElements(batch));
      await lane.turn(() => lane.call(users, () => attempt(batch, context, progress)));
      policy.wentWell();
      return;
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      const { problem } = error;
      if (mayHaveWorked(problem)) progress.lose(batch.items, begun);
      else progress.forget(batch.items);
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
  const { items } = batch;
  const secrets = new Set(items.filter(hasOtpSecret));
  const sent = items.map((item) => (secrets.has(item) ? withoutOtpSecret(item) : item));
  const body = toBody({ ...batch, items: sent }, scan, timeout.text);
  const begun = progress.clock;
  journal.append({ kind: "sending", ...rangeOf(items) });
  for (const item of items) if (item.key === "humanUsers") progress.begin(item, "import");
  progress.calls += 1;
  const answer = await api.importData(body, timeout.ms, signal);
  progress.clock = answer.date ?? progress.clock;
  const said = await readResult(answer, batch, scan);
  const mine = await removedAreMissing(leaveOpenNames(said, progress.state), context, progress);
  const result = await othersInTheWay(mine, batch, context, progress.knownOnes);
  for (const item of result.created) if (progress.state.lost.has(item.index)) progress.noteMade(item);
  const whose = await ownObjects(result.existing, batch, context, progress);
  const made = madeUsers(items, result, whose).filter((item) => secrets.has(item));
  const failures = made.length === 0 ? [] : await giveSecrets(made, batch, context, progress, begun);
  const isRepeat = repeats(items, context, progress);
  const withheld = secretsWithheld(secrets, result, whose);
  settle(
    items,
    toOutcome(withFailures(result, [...failures, ...withheld]), { whose, isRepeat, ...context }),
    context,
    progress,
  );
}

/** Whoever may have been made, where nobody can tell, gets no secret: that is told, since nobody else will give it. */
function secretsWithheld(
  secrets: ReadonlySet<Item>,
  { created, existing, failures }: BatchResult,
  whose: (one: Existing) => Verdict,
): readonly Failure[] {
  const told = existing.filter((one) => whose(one) !== "untold");
  const settled = new Set([...created.map(({ index }) => index), ...[...told, ...failures].map(({ item }) => item)]);
  return [...secrets]
    .filter(({ index }) => !settled.has(index))
    .map(({ bytes, line }) => ({ type: "human_user_otp", id: userIdOf(bytes), message: "", cause: "otp", line }));
}

/** The users are made by now, whatever becomes of this call: its failure leaves the batch open. */
async function giveSecrets(
  made: readonly Item[],
  batch: Batch,
  context: SendContext,
  progress: JobProgress,
  begun: Date | undefined,
): Promise<readonly Failure[]> {
  try {
    return await sendOtpSecrets(made, batch, context, progress);
  } catch (error) {
    progress.lose(batch.items, begun);
    throw error;
  }
}

/** Users that this call made, or an earlier one of the same job. */
function madeUsers(
  items: readonly Item[],
  { created, existing }: BatchResult,
  whose: (one: Existing) => Verdict,
): Item[] {
  const places = new Set(created.map(({ index }) => index));
  for (const one of existing) {
    if (one.type === "human_user" && one.item !== undefined && whose(one) === "ours") places.add(one.item);
  }
  return items.filter(({ index, key }) => key === "humanUsers" && places.has(index));
}

function withFailures(result: BatchResult, failures: readonly Failure[]): BatchResult {
  const others = new Map(result.others);
  for (const { type } of failures) countOne(others, type, "failed");
  return { ...result, others, failures: [...result.failures, ...failures] };
}
