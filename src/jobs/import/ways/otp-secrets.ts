import { listEvents } from "../../../admin/events.ts";
import type { Item } from "../../../core/document/items.ts";
import { userIdOf } from "../../../core/document/user-id.ts";
import type { Failure } from "../../../core/transfer/answer/batch-result.ts";
import { causeOf, isThere, readMessage } from "../../../core/transfer/answer/cause.ts";
import { toBody } from "../../../core/transfer/batch-body.ts";
import { type Batch, toBatch } from "../../../core/transfer/batches.ts";
import { ByteStore } from "../../../core/transfer/buffer-pool.ts";
import type { JobProgress } from "../progress.ts";
import { readErrors } from "./read-result.ts";
import type { SendContext } from "./way.ts";

const OTP = "human_user_otp";
const OTP_ADDED = "user.human.mfa.otp.added";

/**
 * Gives users that this job has made their OTP secrets. The import endpoint would give one to anybody who has the id, also to somebody
 * who was there before and knows nothing of it (service behaviour 0.6): so the users are made first, and the secrets follow in a
 * call of their own, for those who were made. Nobody gets one twice. Returns what the service says against it.
 */
export async function sendOtpSecrets(
  users: readonly Item[],
  batch: Batch,
  context: SendContext,
  progress: JobProgress,
): Promise<readonly Failure[]> {
  const lacking = await withoutSecret(users, context, progress);
  if (lacking.length === 0) return [];
  const { api, scan, timeout, signal } = context;
  const own = { ...toBatch(lacking, batch.buffers), buffers: { items: batch.buffers.items, body: new ByteStore() } };
  progress.calls += 1;
  const answer = await api.importData(toBody(own, scan, timeout.text), timeout.ms, signal);
  const lines = new Map(lacking.map(({ bytes, line }) => [userIdOf(bytes), line]));
  const failures: Failure[] = [];
  for (const { type, id, message } of await readErrors(answer)) {
    const read = readMessage(message);
    const line = lines.get(id);
    if (type !== OTP || isThere(type, read)) continue; // that the users are there is no news
    failures.push({ type, id, message, cause: causeOf(type, read), ...(line === undefined ? {} : { line }) });
  }
  return failures;
}

/** Those that an earlier attempt, whose answer was lost, has not given a secret yet. */
async function withoutSecret(
  users: readonly Item[],
  { api, retry, signal }: SendContext,
  { state }: JobProgress,
): Promise<readonly Item[]> {
  const isOpen = ({ index }: Item): boolean => state.lost.has(index);
  const mark = state.job?.mark;
  if (!users.some(isOpen)) return users;
  // Without the events nobody knows; whoever has one already keeps it, and the service says so.
  if (mark === undefined) return users;
  const given = new Set<string>();
  for await (const { aggregate } of listEvents(api, { eventTypes: [OTP_ADDED], after: mark }, retry, signal)) {
    given.add(aggregate.id);
  }
  return users.filter((user) => !isOpen(user) || !given.has(userIdOf(user.bytes)));
}
