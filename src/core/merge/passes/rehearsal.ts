import type { RowFile } from "../../rows/row-file.ts";
import type { RejectSink } from "../merge-job.ts";
import { MergeState } from "../merge-state.ts";
import type { PartedJoin } from "../parts/parted-join.ts";
import { UsersPass } from "./users-pass.ts";

/**
 * Tells a join in parts of every user and has it decide: one reading of the users more, in which nothing is written or counted.
 * Returns the users for the next reading. Raises input.* problems.
 */
export async function rehearse(state: MergeState, join: PartedJoin, users: RowFile): Promise<RowFile> {
  await join.closeNames();
  const quiet = { ...state.job, rejects: NO_REJECTS, write: nothing };
  const pass = new UsersPass(new MergeState(quiet, state.join));
  try {
    await pass.read(users);
  } finally {
    await pass.close();
  }
  await join.decide();
  return users.again();
}

/** Rejects are reported in the pass that counts. */
const NO_REJECTS: RejectSink = { row: () => undefined, reason: () => {} };

async function nothing(): Promise<void> {}
