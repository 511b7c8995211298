import type { Answer } from "../../admin/call.ts";
import { type AdminApi, notJson } from "../../admin/client.ts";
import { type Attempts, mayHaveWorked, remedyFor, remedyForSmallest } from "../../admin/retry.ts";
import { type Item, readItems } from "../../core/document/items.ts";
import { HEAD } from "../../core/document/org-sections.ts";
import type { BodyScan } from "../../core/document/scan-types.ts";
import { userIdOf } from "../../core/document/user-id.ts";
import { BrokenJson } from "../../core/json/walker.ts";
import type { IdTable } from "../../core/tables/id-table.ts";
import { createAnswerReader } from "../../core/transfer/answer-reader.ts";
import { toBody } from "../../core/transfer/batch-body.ts";
import { type Batch, halve, mayOverlap, toBatches } from "../../core/transfer/batches.ts";
import { createBufferPool } from "../../core/transfer/buffer-pool.ts";
import { fold } from "../../core/transfer/job-state.ts";
import type { DoneEntry } from "../../core/transfer/journal-entries.ts";
import { toOutcome } from "../../core/transfer/outcome.ts";
import { type BatchResult, type Existing, ResultReader } from "../../core/transfer/result-reader.ts";
import { ProblemError, type RunProblem } from "../../problem.ts";
import type { Sending } from "./sending.ts";
import { whoseAre, withoutOwnNames } from "./whose.ts";

/**
 * Sends everything that the journal does not call settled. Raises the first problem that the retry policy does not get over, after
 * the batches that are under way beside it have come to an end.
 */
export async function sendAll(job: Sending): Promise<void> {
  const { done } = job.state;
  const items = readItems(job.parts, job.scan, job.read, (first, count) => !done.covers(first, count));
  const pool = createBufferPool();
  const underWay = new Map<Batch, Promise<unknown>>();
  const failures: unknown[] = [];
  try {
    for await (const batch of toBatches(items, () => job.limits, pool)) {
      while (!hasRoom(underWay, batch, job.concurrency)) await Promise.race(underWay.values());
      job.signal.throwIfAborted();
      if (failures.length > 0) break;
      const work = send(batch, job)
        .then(() => pool.give(batch.buffers))
        .catch((error: unknown) => failures.push(error))
        .finally(() => underWay.delete(batch));
      underWay.set(batch, work);
    }
  } finally {
    await Promise.all(underWay.values());
  }
  if (failures.length > 0) throw failures[0];
}

function hasRoom(underWay: ReadonlyMap<Batch, unknown>, next: Batch, concurrency: number): boolean {
  return underWay.size < concurrency && [...underWay.keys()].every((earlier) => mayOverlap(earlier, next));
}

/** Sends one batch until it is settled, in smaller pieces where the service asks for that. */
async function send(batch: Batch, job: Sending): Promise<void> {
  if (countElements(batch) > job.limits.users || batch.bytes > job.limits.bytes) {
    const halves = halve(batch, countElements(batch) > job.limits.users ? "count" : "bytes");
    if (halves !== undefined) return sendEach(halves, job);
  }
  const begun = job.clock;
  let attempts: Attempts = { busy: 0, network: 0 };
  for (;;) {
    try {
      return await attempt(batch, job);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      const { problem } = error;
      if (mayHaveWorked(problem)) markLost(batch, job, begun ?? new Date(0));
      else forget(batch, job);
      let remedy = remedyFor(problem, attempts, job.retry.random);
      if (remedy.kind === "halve-by-count" || remedy.kind === "halve-by-bytes") {
        const halves = halve(batch, remedy.kind === "halve-by-count" ? "count" : "bytes");
        if (halves !== undefined) {
          shrink(batch, job, remedy.kind, problem);
          return sendEach(halves, job);
        }
        remedy = remedyForSmallest(problem, attempts, job.retry.random);
      }
      if (remedy.kind !== "again") throw error;
      attempts = { ...attempts, [remedy.reason]: attempts[remedy.reason] + 1 };
      job.retry.onPause(problem, remedy.pauseMs);
      await job.retry.sleep(remedy.pauseMs, job.signal);
    }
  }
}

async function sendEach(batches: readonly Batch[], job: Sending): Promise<void> {
  for (const batch of batches) await send(batch, job);
}

function shrink(batch: Batch, job: Sending, how: "halve-by-count" | "halve-by-bytes", problem: RunProblem): void {
  const { users, bytes } = job.limits;
  job.limits =
    how === "halve-by-count"
      ? { users: Math.min(users, Math.ceil(countElements(batch) / 2)), bytes }
      : { users, bytes: Math.min(bytes, Math.ceil(batch.bytes / 2)) };
  if (how === "halve-by-count") job.growth = { smooth: 0, after: job.growth.after * 2 };
  job.onSmaller(problem, job.limits);
}

/** A service that was slow for a while gets larger calls again, each time after a longer row of calls that went well. */
function grow(job: Sending): void {
  const { smooth, after } = job.growth;
  job.growth = { smooth: smooth + 1, after };
  if (smooth + 1 < after || job.limits.users >= job.fullLimits.users) return;
  job.limits = { ...job.limits, users: Math.min(job.limits.users * 2, job.fullLimits.users) };
  job.growth = { smooth: 0, after };
}

function countElements({ items }: Batch): number {
  return items.reduce((sum, { key }) => (key === HEAD ? sum : sum + 1), 0);
}

async function attempt(batch: Batch, job: Sending): Promise<void> {
  const { items } = batch;
  const range = { from: (items[0] as Item).index, to: (items.at(-1) as Item).index }; // a batch has at least one item
  const body = toBody(batch, job.scan, job.timeout.text);
  job.journal.append({ kind: "sending", ...range });
  let users = 0;
  for (const item of items) {
    if (item.key !== "humanUsers") continue;
    users += 1;
    job.inFlight.set(item.index, userIdOf(item.bytes));
  }
  job.calls += 1;
  const answer = await job.api.importData(body, job.timeout.ms, job.signal);
  job.clock = answer.date ?? job.clock;
  const result = withoutOwnNames(await readResult(answer, batch, job), job.state);
  const isOurs = await whoseAre(result.existing, batch, job);
  const repeated = job.failOnExisting ? repeatedUsers(batch, job.sentIds) : undefined;
  const isRepeat = ({ item }: Existing): boolean => item !== undefined && repeated?.has(item) === true;
  const outcome = toOutcome(result, { isOurs, isRepeat, failOnExisting: job.failOnExisting });
  const entry: DoneEntry = { kind: "done", ...range, users, ...outcome, ...copies(outcome) };
  grow(job);
  fold(job.state, entry);
  for (const { index } of items) job.inFlight.delete(index);
  try {
    job.journal.append(entry);
  } finally {
    job.onDone(entry); // what was answered counts, also when the disk is full
  }
}

/** Places of users whose id this job has sent before: that it is there already is no conflict. */
function repeatedUsers({ items }: Batch, sentIds: IdTable): ReadonlySet<number> {
  const repeated = new Set<number>();
  for (const { key, index, bytes } of items) {
    const id = key === "humanUsers" ? userIdOf(bytes) : "";
    if (id === "") continue;
    if (sentIds.get(id) !== undefined) repeated.add(index);
    sentIds.set(id, 0);
  }
  return repeated;
}

function copies({
  unknown,
  failures,
  others,
}: ReturnType<typeof toOutcome>): Pick<DoneEntry, "unknown" | "failures" | "others"> {
  return { unknown: [...unknown], failures: [...failures], others };
}

/** Reads an answer as it comes. Raises net.cut-off, api.not-json, api.unexpected, api.nothing-done. */
export async function readResult(
  answer: Answer,
  batch: Pick<Batch, "items">,
  job: { readonly api: AdminApi; readonly scan: Pick<BodyScan, "orgs"> },
): Promise<BatchResult & { readonly saidSomething: boolean }> {
  const { host } = answer;
  const result = new ResultReader((text) => answer.clean(text));
  const reader = createAnswerReader(result);
  let beginning = "";
  try {
    for await (const chunk of answer.bytes()) {
      if (beginning === "") beginning = chunk.toString("utf8", 0, 200);
      reader.push(chunk);
    }
    reader.end();
  } catch (error) {
    if (error instanceof BrokenJson) {
      const cutOff = error.reason === "unclosed" && beginning !== "";
      throw cutOff ? new ProblemError({ code: "net.cut-off", host }) : notJson(answer, beginning);
    }
    if (error instanceof SyntaxError || (error instanceof Error && error.name === "ZodError")) {
      throw new ProblemError({ code: "api.unexpected", host, what: "a result of an unknown shape" }, { cause: error });
    }
    throw error;
  }
  if (!reader.saidSomething && batch.items.length > 0) throw new ProblemError({ code: "api.nothing-done", host });
  return { ...result.finish(batch, job.scan), saidSomething: reader.saidSomething };
}

function markLost({ items }: Batch, job: Sending, begun: Date): void {
  job.state.lost.add((items[0] as Item).index, (items.at(-1) as Item).index); // a batch has at least one item
  if (job.lostSince === undefined || begun < job.lostSince) job.lostSince = begun;
}

/** Refused as a whole: nothing was done, unless by an earlier attempt. */
function forget({ items }: Batch, { state, inFlight }: Sending): void {
  for (const { index } of items) if (!state.lost.has(index)) inFlight.delete(index);
}
