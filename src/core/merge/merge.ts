import type { RowFile } from "../rows/row-file.ts";
import type { MergeResult } from "./counts.ts";
import type { MergeJob } from "./merge-job.ts";
import { MergeState } from "./merge-state.ts";
import { CredentialsPass } from "./passes/credentials-pass.ts";
import { reportLeftovers } from "./passes/leftover-pass.ts";
import { findSharedNames } from "./passes/names-pass.ts";
import { rehearse } from "./passes/rehearsal.ts";
import { UsersPass } from "./passes/users-pass.ts";

/**
 * Merges the inputs of any source provider into entries of the import body (design: "The join"). Four passes: every row of
 * credentials into the join; every user judged and written; the users that an e-mail address decides; the credentials that no user
 * took. With a join in parts, the users are read once before they are judged. Every row ends in exactly one count, and every row
 * that does not get through in the rejects with at least one reason. Raises input.* problems.
 */
export async function merge(job: MergeJob): Promise<MergeResult> {
  const state = new MergeState(job);
  const users = new UsersPass(state);
  const { parted } = state;
  const readings = [job.users];
  const again = (file: RowFile): RowFile => {
    readings.push(file);
    return file;
  };
  let file = job.users;
  try {
    const unjoined = job.credentials === undefined ? [] : await new CredentialsPass(state).read(job.credentials);
    if (job.findsSharedNames) file = again(await findSharedNames(state, file));
    if (parted !== undefined) file = again(await rehearse(state, parted, file));
    state.counts.passwords.superseded = state.join.packed.superseded;
    await users.read(file);
    parted?.closeUsers();
    await users.settleWaiting(file);
    if (job.credentials !== undefined) await reportLeftovers(state, job.credentials, unjoined);
  } finally {
    await users.close();
    // A thread whose file was never asked for would wait without end, and the process with it.
    await Promise.all([...readings, job.credentials].map((reading) => reading?.close()));
    parted?.remove();
  }
  return state.counts;
}
