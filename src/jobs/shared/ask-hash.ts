import { randomUUID } from "node:crypto";
import { remedyForSmallest } from "../../admin/retry.ts";
import { type ChangeAnswer, createUserChanges } from "../../admin/user-changes.ts";
import { withRetry } from "../../admin/with-retry.ts";
import type { AskHash, HashAnswer } from "../../core/probe/find-hash-rules.ts";
import { NO_HASH } from "../../core/probe/sample-hashes.ts";
import { ProblemError } from "../../problem.ts";
import type { Asking } from "./asking.ts";

/** The errors of a hash (service behaviour 0.44). */
const REFUSALS: Readonly<Record<string, HashAnswer>> = {
  "CRYPT-5uV9n": "cost",
  "CRYPT-r8Qm2": "kind",
  "CRYPT-2xK7d": "kind",
  "USER-oz74onzvqr": "kind",
};

/**
 * Returns a function that asks an instance about hashes, and changes nothing: each call asks for a change of a random user id, which no
 * user has. The service checks the hash first and then finds no user (service behaviour 0.44). So no user is created, nothing is left
 * behind by a run that ends early, and runs do not disturb each other or an import. Raises api.cannot-probe, api.probe-changed,
 * api.unexpected for an unknown error, and what a call raises.
 */
export async function openHashAsking(
  { api, retry, signal }: Asking,
  onCall: (calls: number) => void = () => {},
): Promise<AskHash> {
  const { host } = api.address;
  const users = createUserChanges(api);
  const userId = `orgferry-probe-${randomUUID()}`;
  let calls = 0;
  const change = async (body: object): Promise<ChangeAnswer> => {
    const answer = await withRetry(() => users.update(userId, body, signal), retry, signal, remedyForSmallest);
    calls += 1;
    onCall(calls);
    return answer;
  };
  const ask = async (hash: string): Promise<HashAnswer> => {
    const answer = await change({ password: { hashedPassword: { hash } } });
    if (answer.kind === "gone") return "accepted";
    if (answer.kind === "done") throw new ProblemError({ code: "api.probe-changed", host, userId });
    const found = Object.hasOwn(REFUSALS, answer.code) ? REFUSALS[answer.code] : undefined;
    if (found !== undefined) return found;
    throw new ProblemError({ code: "api.unexpected", host, what: `no verdict on a password hash ("${answer.words}")` });
  };
  // Without a hash: proves that the call exists and that no user has the id.
  const empty = await change({});
  if (empty.kind !== "gone") throw new ProblemError({ code: "api.cannot-probe", host, why: "no-call" });
  if ((await ask(NO_HASH)) === "accepted") throw new ProblemError({ code: "api.cannot-probe", host, why: "any-hash" });
  return ask;
}
