import type { MergeJob, MergeResult } from "../source.ts";
import { reportLeftovers } from "./leftover-pass.ts";
import { MergeState } from "./merge-state.ts";
import { PasswordPass } from "./password-pass.ts";
import { ProfilePass } from "./profile-pass.ts";

/**
 * Merges Auth0's profile and password files (design: "The join"). Four passes: every password row into the join; every profile
 * judged and written; the profiles that an e-mail address decides; the password rows that nobody took.
 */
export async function mergeAuth0(job: MergeJob): Promise<MergeResult> {
  const state = new MergeState(job);
  const profiles = new ProfilePass(state);
  try {
    if (job.passwords !== undefined) await new PasswordPass(state).read(job.passwords);
    await profiles.read(job.users);
    await profiles.settleWaiting(job.users);
    if (job.passwords !== undefined) await reportLeftovers(state, job.passwords);
  } finally {
    profiles.close();
  }
  return state.counts;
}
