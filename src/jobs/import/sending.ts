import type { AdminApi } from "../../admin/client.ts";
import type { RetryContext } from "../../admin/with-retry.ts";
import type { Part, ReadExtent } from "../../core/document/items.ts";
import type { BodyScan } from "../../core/document/scan-types.ts";
import type { IdTable } from "../../core/tables/id-table.ts";
import type { BatchLimits } from "../../core/transfer/batches.ts";
import type { JobState } from "../../core/transfer/job-state.ts";
import type { DoneEntry } from "../../core/transfer/journal-entries.ts";
import type { Journal } from "../../io/journal/journal.ts";
import type { RunProblem } from "../../problem.ts";

/** A job under way, and everything it needs to send its batches. */
export interface Sending {
  readonly api: AdminApi;
  readonly scan: BodyScan;
  readonly parts: readonly Part[];
  readonly read: ReadExtent;
  readonly state: JobState;
  readonly journal: Journal;
  readonly timeout: { readonly text: string; readonly ms: number };
  /** Shrinks when the service cannot cope, and recovers. */
  limits: BatchLimits;
  /** What the flags allow. */
  readonly fullLimits: BatchLimits;
  /** Calls that went well since the limits changed, and how many it takes until they grow. */
  growth: { readonly smooth: number; readonly after: number };
  readonly concurrency: number;
  readonly failOnExisting: boolean;
  readonly retry: RetryContext;
  readonly signal: AbortSignal;
  /** Users of batches whose outcome is open: place in the order of sending → id. What is left at the end is unknown. */
  readonly inFlight: Map<number, string>;
  /** Calls made. */
  calls: number;
  /** The target's clock by its last answer. */
  clock: Date | undefined;
  /** The target's clock before the first attempt whose outcome was lost; the beginning of time when that is not known. */
  lostSince: Date | undefined;
  /** Ids of settled users; only kept for `failOnExisting`. */
  readonly sentIds: IdTable;
  onDone(entry: DoneEntry): void;
  onSmaller(problem: RunProblem, limits: BatchLimits): void;
}
