import { listEvents } from "../../admin/events.ts";
import type { BatchResult, Existing, Failure } from "../../core/transfer/batch-result.ts";
import type { Batch } from "../../core/transfer/batches.ts";
import type { JobState } from "../../core/transfer/job-state.ts";
import { ProblemError } from "../../problem.ts";
import type { JobProgress } from "./progress.ts";
import type { SendContext } from "./send-context.ts";

/** Objects whose making leaves an event with their id as its aggregate (service behaviour 3). */
const tracedTypes: Readonly<Record<string, string>> = {
  human_user: "user.human.added",
  machine_user: "user.machine.added",
  org: "org.added",
};

/** Clocks of several servers behind one address differ a little. */
const CLOCK_MARGIN_MS = 5_000;

/**
 * After an attempt without an outcome, "already there" may mean "made by that attempt". The target's events tell: what was made
 * since the job began is this job's. Without the right to read them, it is taken to be.
 */
export async function ownObjects(
  existing: readonly Existing[],
  batch: Batch,
  context: SendContext,
  progress: JobProgress,
): Promise<(entry: Existing) => boolean> {
  const { lost } = progress.state;
  const batchLost = batch.items.some(({ index }) => lost.has(index));
  const isCandidate = ({ item }: Existing): boolean => (item === undefined ? batchLost : lost.has(item));
  const traced = existing.filter((entry) => isCandidate(entry) && Object.hasOwn(tracedTypes, entry.type));
  if (traced.length === 0) return isCandidate;
  const made = await madeSince(traced, context, progress);
  if (made === undefined) return isCandidate;
  return (entry) => isCandidate(entry) && (!Object.hasOwn(tracedTypes, entry.type) || made.has(entry.id));
}

/**
 * A user without an id cannot come back as "already there": sent a second time, its name is taken, perhaps by itself. After a lost
 * attempt that is no failure but an open outcome.
 */
export function leaveOpenNames<T extends BatchResult>(result: T, { lost }: Pick<JobState, "lost">): T {
  const isOpen = ({ id, cause, item }: Failure): boolean =>
    id === "" && cause === "user-name-taken" && item !== undefined && lost.has(item);
  const open = result.failures.filter(isOpen);
  if (open.length === 0) return result;
  const failures = result.failures.filter((failure) => !isOpen(failure));
  return { ...result, failures, unknown: [...result.unknown, ...open.map(({ id }) => id)] };
}

/** Which of these ids came to be since the job began; undefined when the target does not tell. */
async function madeSince(
  entries: readonly Existing[],
  { api, scan, retry, signal }: SendContext,
  { state, lostSince }: JobProgress,
): Promise<ReadonlySet<string> | undefined> {
  const mark = state.job?.mark;
  // spec: Events; objects of an instance import may come without events.
  if (mark === undefined || scan.container !== "dataOrgs") return undefined;
  const wanted = new Set(entries.map(({ id }) => id));
  const eventTypes = [...new Set(entries.map(({ type }) => tracedTypes[type] as string))]; // filtered by the caller
  const made = new Set<string>();
  try {
    const filter = { eventTypes, after: later(mark, lostSince) };
    for await (const { aggregate, creationDate } of listEvents(api, filter, retry, signal)) {
      if (wanted.has(aggregate.id) && creationDate !== mark) made.add(aggregate.id);
      if (made.size === wanted.size) break;
    }
    return made;
  } catch (error) {
    if (error instanceof ProblemError && error.problem.code === "auth.forbidden") return undefined;
    throw error;
  }
}

function later(mark: string, clock: Date | undefined): string {
  const recent = clock === undefined ? undefined : new Date(clock.getTime() - CLOCK_MARGIN_MS);
  return recent !== undefined && recent.getTime() > Date.parse(mark) ? recent.toISOString() : mark;
}
