import type { AdminApi } from "../../admin/client.ts";
import type { RetryContext } from "../../admin/with-retry.ts";
import type { Part, ReadExtent } from "../../core/document/items.ts";
import type { BodyScan } from "../../core/document/scan-types.ts";
import type { BatchLimits } from "../../core/transfer/batches.ts";
import type { DoneEntry } from "../../core/transfer/journal-entries.ts";
import type { Journal } from "../../io/journal/journal.ts";
import type { RunProblem } from "../../problem.ts";

/** What sending a job needs; nothing of it changes on the way. How far the job is stands in progress.ts. */
export interface SendContext {
  readonly api: AdminApi;
  readonly scan: BodyScan;
  readonly parts: readonly Part[];
  readonly read: ReadExtent;
  readonly journal: Journal;
  readonly timeout: CallTimeout;
  readonly retry: RetryContext;
  readonly signal: AbortSignal;
  /** Calls at a time. */
  readonly concurrency: number;
  /** Somebody who is there already counts as a failure. */
  readonly failOnExisting: boolean;
  /** Told what came of each batch. */
  onDone(entry: DoneEntry): void;
  /** Told when calls get smaller. */
  onSmaller(problem: RunProblem, limits: BatchLimits): void;
}

/** How long the service may work on one call, as the body says it and in numbers. */
export interface CallTimeout {
  readonly text: string;
  readonly ms: number;
}
