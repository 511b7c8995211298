import type { ChangeAnswer, UserChanges } from "../../../admin/user-changes.ts";
import { withRetry } from "../../../admin/with-retry.ts";
import type { Failure } from "../../../core/transfer/answer/batch-result.ts";
import { causeOf } from "../../../core/transfer/answer/cause.ts";
import { type StateStep, toUpdateCalls } from "../../../core/update/update-calls.ts";
import type { SendContext } from "../ways/way.ts";
import type { PlannedUser } from "./plan-updates.ts";

type Change = (signal: AbortSignal) => Promise<ChangeAnswer>;

const DONE: ChangeAnswer = { kind: "done" };

/**
 * Makes the calls that bring a user to what the input says, one after the other. Of changes that have nothing to do with each other one
 * may be refused and the others are made all the same: who is to be locked is locked and gets the new password, whatever becomes of the
 * name. The answer is then the first refusal. Every call may be made again, so one whose answer was lost is. Raises what retries do not
 * get over.
 */
export async function changeUser(
  planned: PlannedUser,
  changes: UserChanges,
  { lanes: { users: lane }, retry, signal }: Pick<SendContext, "lanes" | "retry" | "signal">,
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

/** Calls that are made in their order, up to one that is refused. */
interface ChangeGroup {
  readonly calls: readonly Change[];
  /** The same change in parts that may be made by themselves: of a call that is refused the service does nothing. */
  readonly parts?: readonly Change[];
}

/** How a user is changed. */
export interface ChangeSettings {
  readonly noMail: boolean;
  /** true: somebody whose name is taken is tried again later as a whole. */
  readonly mayWait: boolean;
  /** Told before each call. */
  onCall(): void;
}

/** The calls by what they change; those of one kind are made in their order. */
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
  // One by one: of several keys the service removes all or none.
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

/** Each member of the body by itself: name, profile, address, phone, password. */
function partsOf(put: object = {}): readonly object[] {
  return Object.entries(put).map(([name, value]) => ({ [name]: value }));
}

/** True for a name that somebody else has, who may give it up when it is his turn to be changed. */
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

/** A refusal to remove somebody whom the source has removed. */
export function toRemovalFailure(
  id: string,
  { code, words: message }: Extract<ChangeAnswer, { kind: "refused" }>,
): Failure {
  return { type: "human_user", id, message, cause: causeOf("human_user", { code, key: message }) };
}
