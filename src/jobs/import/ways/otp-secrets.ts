import type { Item } from "../../../core/document/items.ts";
import { userIdOf } from "../../../core/document/user-id.ts";
import type { Failure } from "../../../core/transfer/answer/batch-result.ts";
import { causeOf, isThere, readMessage } from "../../../core/transfer/answer/cause.ts";
import { toBody } from "../../../core/transfer/batch-body.ts";
import { toBatch } from "../../../core/transfer/batches.ts";
import { ByteStore } from "../../../core/transfer/buffer-pool.ts";
import { onlyOtpSecret } from "../../../core/transfer/otp-secret.ts";
import { ProblemError } from "../../../problem.ts";
import { lookQuickly } from "../../shared/fresh.ts";
import { readErrors } from "./read-result.ts";
import type { SenderContext } from "./way.ts";

const OTP = "human_user_otp";

/**
 * Gives OTP secrets to users that this account has created. The import endpoint would give a secret to any user with the id, also to an
 * existing user who does not know it (service behaviour 0.6). So users are created first, and the secrets follow in another call, if no
 * other account has replaced the users since, by a `look` at the target before the call. A secret is sent once. Returns what the service refuses, or does not answer. Raises
 * api.nothing-done for an answer that names none of the users, and what a call raises.
 */
export async function sendOtpSecrets(
  users: readonly Item[],
  { calling, plan, ledger, provenance }: SenderContext,
  look: (read: () => Promise<readonly Item[]>) => Promise<readonly Item[]> = lookQuickly,
): Promise<readonly Failure[]> {
  const lacking = await look(async () => provenance.withoutOtpSecret(await provenance.replaced.without(users)));
  if (lacking.length === 0) return [];
  const batch = toBatch(lacking.map(onlyOtpSecret), { items: new ByteStore(0), body: new ByteStore(0) });
  ledger.begin([], "import");
  const body = toBody(batch, plan.scan, plan.timeout.text);
  const answer = await calling.api.importData(body, plan.timeout.ms, calling.signal);
  const lines = new Map(lacking.map(({ bytes, line }) => [userIdOf(bytes), line]));
  const failures: Failure[] = [];
  const fail = (id: string, message: string, cause: Failure["cause"]): void => {
    const line = lines.get(id);
    failures.push({ type: OTP, id, message, cause, ...(line === undefined ? {} : { line }) });
  };
  const unanswered = new Set(lines.keys());
  for (const { type, id, message } of await readErrors(answer)) {
    const read = readMessage(message);
    if (type === "human_user") unanswered.delete(id); // it exists, as expected
    if (type !== OTP || isThere(type, read)) continue;
    fail(id, message, read.key === "Errors.User.NotFound" ? "gone" : causeOf(type, read));
  }
  if (unanswered.size === lines.size) throw new ProblemError({ code: "api.nothing-done", host: answer.host });
  for (const id of unanswered) fail(id, "", "otp");
  return failures;
}
