import type { ChangeAnswer, UserChanges } from "../../../admin/user-changes.ts";
import { withRetry } from "../../../admin/with-retry.ts";
import type { Failure } from "../../../core/transfer/answer/batch-result.ts";
import { causeOf } from "../../../core/transfer/answer/cause.ts";
import { type StateStep, toUpdateCalls } from "../../../core/update/update-calls.ts";
import type { Calling } from "../ways/way.ts";
import type { PlannedUser } from "./plan-updates.ts";

type Change = (signal: AbortSignal) => Promise<ChangeAnswer>;

const DONE: ChangeAnswer = { kind: "done" };

/**
 * Updates a user by calls in order. If the service refuses one of several independent changes, the others are made nevertheless: a user
 * is locked and gets the new password also when the new name is refused. The answer is then the first refusal. Every call can be
 * repeated, so a call with a lost answer is. Raises the errors that remain after retries.
 */
export async function changeUser(
  planned: PlannedUser,
  changes: UserChanges,
  { lanes: { users: lane }, retry, signal }: Calling,
  { noMail, mayWait, onCall }: ChangeSettings,
): Promise<ChangeAnswer> {
  const make = async (calls: readonly Change[]): Promise<ChangeAnswer> => {
    for (const change of calls) {
      onCall();
      const answer = await lane.turn(() => withRetry(() => lane.call(1, () => change(signal)), retry, signal));
      if (answer.kind !== "done") return answer;
    }
    return DONE;
  };
  const makeAll = async (groups: readonly ChangeGroup[]): Promise<ChangeAnswer> => {
    let refusal: ChangeAnswer | undefined;
    for (const { calls, parts = [] } of groups) {
      const whole = await make(calls);
      const waits = mayWait && isNameTaken(whole);
      const isDivided = whole.kind === "refused" && !waits && parts.length > 1;
      const answer = isDivided ? await makeAll(parts.map((part) => ({ calls: [part] }))) : whole;
      if (answer.kind === "gone" || waits) return answer;
      if (answer.kind !== "done") refusal ??= answer;
    }
    return refusal ?? DONE;
  };
  return makeAll(changesOf(planned, changes, noMail));
}

/** Calls in order, up to the first refusal. */
interface ChangeGroup {
  readonly calls: readonly Change[];
  /** The same change as independent calls: the service does nothing of a refused call. */
  readonly parts?: readonly Change[];
}

/** How a user is changed. */
export interface ChangeSettings {
  readonly noMail: boolean;
  /** true: a user with a taken name is tried again later as a whole. */
  readonly mayWait: boolean;
  /** Called before each call. */
  onCall(): void;
}

/** The calls by kind of change. */
function changesOf(
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

/** A value that must be unique is in use (service behaviour 0.5). */
const UNIQUE = "V3-DKcYh";

/** A refusal as a failure of the user. */
export function toFailure(
  { item, userId }: Pick<PlannedUser, "item" | "userId">,
  answer: Exclude<ChangeAnswer, { kind: "done" }>,
): Failure {
  const { words: message } = answer;
  const place = { type: "human_user", id: userId, message, item: item.index, line: item.line };
  if (answer.kind === "gone") return { ...place, cause: "gone" };
  const cause = causeOf("human_user", { code: answer.code, key: message });
  return { ...place, cause: isNameTaken(answer) ? "user-name-taken" : cause };
}

/** A refused removal as a failure of the user. */
export function toRemovalFailure(
  id: string,
  { code, words: message }: Extract<ChangeAnswer, { kind: "refused" }>,
): Failure {
  return { type: "human_user", id, message, cause: causeOf("human_user", { code, key: message }) };
}
