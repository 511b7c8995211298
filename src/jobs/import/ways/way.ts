import type { Batch } from "../../../core/transfer/batches.ts";
import type { Ledger, Take } from "../ledger.ts";
import type { Plan } from "../plan/plan.ts";
import type { Owners } from "../provenance/owners.ts";
import type { Provenance } from "../provenance/provenance.ts";
import type { Screen } from "../provenance/screen.ts";
import type { Calling } from "./lane.ts";

/** Sends items to one endpoint of the target. */
export interface Sender {
  /**
   * Sends a batch until its items have an outcome, which `take` gets. Raises the first problem that retries do not solve, and what `take`
   * raises.
   */
  send(batch: Batch, take: Take): Promise<void>;
}

/** What both senders work with. */
export interface SenderContext {
  readonly calling: Calling;
  readonly plan: Plan;
  readonly ledger: Ledger;
  readonly provenance: Provenance;
  readonly screen: Screen;
  /** undefined: an input without parts of users, or a target without events. */
  readonly owners?: Owners | undefined;
}
