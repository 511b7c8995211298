import type { AdminApi } from "../../../admin/client.ts";
import type { Absence, UsersApi } from "../../../admin/users-api.ts";
import type { RetryContext } from "../../../admin/with-retry.ts";
import type { ReadExtent } from "../../../core/document/items.ts";
import type { Part } from "../../../core/document/parts.ts";
import type { BodyScan } from "../../../core/document/scan-types.ts";
import type { UserMetadata } from "../../../core/document/user-metadata.ts";
import type { Way } from "../../../core/rules/route.ts";
import type { BatchLimits } from "../../../core/transfer/batches.ts";
import type { DoneEntry } from "../../../core/transfer/journal-entries.ts";
import type { Journal } from "../../../io/journal/journal.ts";
import type { RunProblem } from "../../../problem.ts";
import type { CallTimeout } from "../plan/plan.ts";
import type { TargetState } from "../plan/target-state.ts";
import type { Lane } from "./lane.ts";

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
  /** What the target's events said before the first call; undefined where it does not tell. */
  readonly target: TargetState | undefined;
  /** How users that are better made one by one are made; undefined where the target does not know that. */
  readonly users: UsersWay | undefined;
  /** How fast calls are made, for either way. */
  readonly lanes: Readonly<Record<Way, Lane>>;
  /** The user whose token this run has, asked for once; undefined where the target does not tell. Raises net.*, auth.refused. */
  self(): Promise<string | undefined>;
  /** Somebody who is there already counts as a failure. */
  readonly failOnExisting: boolean;
  /** Told what came of each batch. */
  onDone(entry: DoneEntry): void;
  /** Told when the target turns out not to know the users API; perhaps more than once. */
  onNoUsersApi(why: Absence): void;
  /** Told when calls get smaller. */
  onSmaller(problem: RunProblem, limits: BatchLimits): void;
}

/** The way through the users API. */
export interface UsersWay {
  readonly api: UsersApi;
  readonly metadata: UserMetadata;
  readonly noMail: boolean;
}
