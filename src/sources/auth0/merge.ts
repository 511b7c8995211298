import { expectedBytes } from "../../io/input.ts";
import type { RowReader } from "../../io/rows.ts";
import type { MergeJob, MergeResult } from "../source.ts";
import { reportLeftovers } from "./leftover-pass.ts";
import { MergeState } from "./merge-state.ts";
import { PasswordPass } from "./password-pass.ts";
import { ProfilePass } from "./profile-pass.ts";

/** From this size on a second thread saves more than it costs to start. */
const READ_AHEAD_BYTES = 48 * 2 ** 20;

/**
 * Merges Auth0's profile and password files (design: "The join"). Four passes: every password row into the join; every profile
 * judged and written; the profiles that an e-mail address decides; the password rows that nobody took.
 */
export async function mergeAuth0(job: MergeJob): Promise<MergeResult> {
  const state = new MergeState(job);
  const profiles = new ProfilePass(state);
  const ahead = await readersAhead(job, state.seeds);
  const users = ahead?.users ?? job.users;
  const passwords = ahead?.passwords ?? job.passwords;
  try {
    if (passwords !== undefined) await new PasswordPass(state).read(passwords);
    await profiles.read(users);
    await profiles.settleWaiting(users);
    if (passwords !== undefined) await reportLeftovers(state, passwords);
  } finally {
    await profiles.close();
    // A thread whose file was never asked for would wait for ever, and the process with it.
    await Promise.all([ahead?.users.close(), ahead?.passwords?.close()]);
  }
  return state.counts;
}

/** The same readers with a second thread before each, where that pays. Loaded only then. */
async function readersAhead(
  { reading, users, passwords, signal }: MergeJob,
  seeds: Uint32Array,
): Promise<Pick<MergeJob, "users" | "passwords"> | undefined> {
  const isLarge = (reader?: RowReader): boolean =>
    reader !== undefined && expectedBytes(reader.input) >= READ_AHEAD_BYTES;
  if (reading !== "ahead" && !(reading === "auto" && (isLarge(users) || isLarge(passwords)))) return undefined;
  const { canReadAhead, readAhead } = await import("./bytes/read-ahead.ts");
  if (!canReadAhead()) return undefined;
  return {
    passwords: passwords === undefined ? undefined : readAhead(passwords, "passwords", seeds, signal),
    users: readAhead(users, "users", seeds, signal),
  };
}
