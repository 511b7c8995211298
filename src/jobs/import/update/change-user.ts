import type { ChangeAnswer, UserChanges } from "../../../admin/user-changes.ts";
import { UNIQUE } from "../../../core/transfer/answer/cause.ts";
import { type StateStep, toUpdateCalls } from "../../../core/update/update-calls.ts";
import type { PlannedUser } from "./plan-updates.ts";

/** A call that changes a user; it can be repeated. */
export type Change = (signal: AbortSignal) => Promise<ChangeAnswer>;

const DONE: ChangeAnswer = { kind: "done" };

/**
 * Updates a user by calls in order. If the service refuses one of several independent changes, the others are made nevertheless: a user
 * is locked and gets the new password also when the new name is refused. The answer is then the first refusal. `mayWait`: a user with a
 * taken name is tried again later as a whole. Raises what `call` raises.
 */
export async function changeUser(
  groups: readonly ChangeGroup[],
  mayWait: boolean,
  call: (change: Change) => Promise<ChangeAnswer>,
): Promise<ChangeAnswer> {
  let refusal: ChangeAnswer | undefined;
  for (const { calls, parts = [] } of groups) {
    let whole = DONE;
    for (const change of calls) if (whole.kind === "done") whole = await call(change);
    const waits = mayWait && isNameTaken(whole);
    const isDivided = whole.kind === "refused" && !waits && parts.length > 1;
    const independent = parts.map((part) => ({ calls: [part] }));
    const answer = isDivided ? await changeUser(independent, mayWait, call) : whole;
    if (answer.kind === "gone" || waits) return answer;
    if (answer.kind !== "done") refusal ??= answer;
  }
  return refusal ?? DONE;
}

/** Calls in order, up to the first refusal. */
interface ChangeGroup {
  readonly calls: readonly Change[];
  /** The same change as independent calls: the service does nothing of a refused call. */
  readonly parts?: readonly Change[];
}

/** The calls by kind of change. */
export function changesOf(
  { entry, userId, orgId, wanted, user, plan, metadata }: PlannedUser,
  changes: UserChanges,
  noMail: boolean,
): readonly ChangeGroup[] {
  const { state: from, isInitial } = user;
  const { put, removesPhone, states, lastPut } = toUpdateCalls(entry, wanted, plan.fields, { from, isInitial, noMail });
  const ofMetadata: Change[] = [];
  const { set, removed, stale } = metadata;
  const owner = { userId, orgId };
  // One call per key: the service removes all keys of a call or none.
  for (const key of stale) ofMetadata.push((signal) => changes.removeMetadata(owner, [key], signal));
  if (set.length > 0) ofMetadata.push((signal) => changes.setMetadata(owner, set, signal));
  if (removed.length > 0) ofMetadata.push((signal) => changes.removeMetadata(owner, removed, signal));
  const update =
    (body: object): Change =>
    (signal) =>
      changes.update(userId, body, signal);
  const toState =
    (step: StateStep): Change =>
    (signal) =>
      changes.setState(userId, step, signal);
  return [
    { calls: put === undefined ? [] : [update(put)], parts: partsOf(put).map(update) },
    { calls: removesPhone ? [(signal) => changes.removePhone(userId, signal)] : [] },
    { calls: [...states.map(toState), ...(lastPut === undefined ? [] : [update(lastPut)])] },
    { calls: ofMetadata },
  ];
}

/** One body for each member: name, profile, address, phone, password. */
function partsOf(put: object = {}): readonly object[] {
  return Object.entries(put).map(([name, value]) => ({ [name]: value }));
}

/** True for the name of another user, who may give it up by a later update. */
export function isNameTaken(answer: ChangeAnswer): boolean {
  return answer.kind === "refused" && answer.code === UNIQUE;
}
