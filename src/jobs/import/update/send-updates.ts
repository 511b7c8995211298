import { mayHaveWorked } from "../../../admin/retry.ts";
import type { ChangeAnswer, UserChanges } from "../../../admin/user-changes.ts";
import type { ServiceEvent } from "../../../contract/events.ts";
import type { Item } from "../../../core/document/items.ts";
import { type Edit, editOf } from "../../../core/events/edit-log.ts";
import { isAlive, lifeEvents, MACHINE_ADDED } from "../../../core/events/user-life.ts";
import { isLater } from "../../../core/rules/moment.ts";
import type { Failure } from "../../../core/transfer/answer/batch-result.ts";
import { causeOf } from "../../../core/transfer/answer/cause.ts";
import { isOfPassword } from "../../../core/update/update-calls.ts";
import type { UpdateResult, UserUpdate } from "../../../core/update/update-result.ts";
import { ProblemError } from "../../../problem.ts";
import type { HeldBackCause } from "../../../ui/summary/left-objects.ts";
import { lookBeforeHarm } from "../../shared/fresh.ts";
import { isUndisturbed, lastLifeEventOnce, neverHadCodes, newestChangesOnce } from "../../shared/user-life.ts";
import { callInTurn, callUser } from "../ways/lane.ts";
import { sendOtpSecrets } from "../ways/otp-secrets.ts";
import type { SenderContext } from "../ways/way.ts";
import { type CallAnswer, type Change, changesOf, changeUser, DISTURBED, DONE, isNameTaken } from "./change-user.ts";
import type { Removals } from "./decide-removals.ts";
import { type Fence, needsCalls, type PlannedUser, type Planning, planUpdates, updateOf } from "./plan-updates.ts";
import { createPool } from "./pool.ts";

/** What an update sends with. */
export interface UpdateContext {
  readonly sender: SenderContext;
  readonly changes: UserChanges;
  /** The service user of the token. */
  readonly self: string;
  /** The plan has the events up to this time, by the target's clock; undefined: there was none. RFC 3339. */
  readonly readUntil: string | undefined;
  /** Asked before a password is changed: raises what ends a run that may send no e-mail. undefined: it may. */
  readonly refuseMails: ((orgId: string) => Promise<void>) | undefined;
  /** Users with a role on the instance, and the job's own service users, as of now. */
  readonly protectedUsers: () => Promise<ReadonlySet<string>>;
  /** Called after each user. */
  onUser(): void;
}

/**
 * Updates the existing users of the input, several in parallel; users that are settled by it are not sent. The owners learn which users the
 * target keeps. One of `removedByOthers`, since the job began, who exists now is another user. Raises the first error that remains after retries, when every running call has ended.
 */
export async function sendUpdates(
  planning: Planning,
  context: UpdateContext,
  removedByOthers: ReadonlySet<string>,
): Promise<void> {
  const { ledger, calling, owners } = context.sender;
  const pool = createPool(calling.signal);
  const taken: PlannedUser[] = [];
  const reader = { onCreate() {}, onMetadata: (index: number) => ledger.leave(index), onStale() {} };
  try {
    for await (const planned of planUpdates(planning, reader)) {
      const { index } = planned.item;
      if (ledger.state.done.has(index)) continue;
      ledger.leave(index);
      const { fence } = planned.plan.left;
      if (fence !== "removed" && removedByOthers.has(planned.userId)) {
        owners?.leaves(planned.userId, "other-person");
        ledger.failUpdate(index, takenOver(planned), updateOf(planned));
        continue;
      }
      if (fence === undefined) owners?.kept(planned.item);
      else owners?.leaves(planned.userId, fencedBy[fence]);
      if (fence === "protected") ledger.updates?.protected.push(planned.userId);
      if (needsCalls(planned)) await pool.start(() => change(planned, context, taken));
      else ledger.settleUpdate(index, updateOf(planned));
    }
  } finally {
    await pool.end();
  }
  await tryAgain(taken, context);
}

function takenOver({ userId, item }: PlannedUser): Failure {
  return { type: "human_user", id: userId, message: "", cause: "taken-over", item: item.index, line: item.line };
}

/** Why an update does not send what belongs to a user; undefined: it is not said of a user without an account. */
export const fencedBy: Readonly<Record<Fence, HeldBackCause | undefined>> = {
  protected: "administrator",
  removed: undefined,
  recreated: "other-person",
  "other-person": "other-person",
};

/** Users whose new names were taken: some of the names may be free by now. */
async function tryAgain(first: readonly PlannedUser[], context: UpdateContext): Promise<void> {
  for (let waiting = first, before = 0; waiting.length > 0; ) {
    const isLast = waiting.length === before;
    before = waiting.length;
    const left: PlannedUser[] = [];
    const pool = createPool(context.sender.calling.signal);
    for (const planned of waiting) await pool.start(() => change(planned, context, isLast ? undefined : left));
    await pool.end();
    waiting = left;
  }
}

/**
 * Updates one user, call after call, and settles it; a user with a taken name is put on the list, if there is one. Immediately before each
 * call, a repeated one too, the log is asked once more: what another account has changed or recreated since the plan is a conflict. So is a
 * user who has got a role on the instance.
 */
async function change(planned: PlannedUser, context: UpdateContext, taken: PlannedUser[] | undefined): Promise<void> {
  const { sender, changes, self, refuseMails, onUser } = context;
  const { ledger, calling } = sender;
  const { item, userId, orgId, plan } = planned;
  const { index } = item;
  const { signal } = calling;
  const setsPassword = plan.fields.some(isOfPassword);
  let changedBy: Edit | undefined;
  let isProtected = false;
  let isChanged = false;
  const call = async (one: Change): Promise<CallAnswer> => {
    if (changedBy !== undefined || isProtected) return DISTURBED;
    let before: number | undefined;
    let hasBegun = false;
    return callInTurn(calling, async () => {
      const newest = await lookBeforeHarm(calling.api.address, async () => {
        const [events, users] = await Promise.all([
          newestChangesOnce(userId, calling),
          context.protectedUsers(),
          setsPassword ? refuseMails?.(orgId) : undefined,
        ]);
        isProtected = users.has(userId);
        return events;
      });
      const life = newest.find(({ type: { type } }) => (lifeEvents as readonly string[]).includes(type));
      const isMachine = life?.type.type === MACHINE_ADDED;
      const other = newest.find((event) => isDisturbance(event, context)) ?? (isMachine ? life : undefined);
      changedBy = other && editOf(other);
      if (changedBy !== undefined || isProtected) return DISTURBED;
      const [last] = newest;
      const sequence = Number(last?.sequence ?? 0);
      // An answer was lost: a change that was made is not made again, because it may send a message.
      if (before !== undefined && sequence > before && last?.editor?.userId === self) return DONE;
      before ??= sequence;
      // A user who waits for the turn is not sent.
      if (!hasBegun) ledger.beginChange({ index, userId });
      hasBegun = true;
      try {
        const answer = await one(signal);
        isChanged ||= answer.kind === "done";
        return answer;
      } catch (error) {
        const mayBeDone = isChanged || !(error instanceof ProblemError) || mayHaveWorked(error.problem);
        if (!mayBeDone) ledger.postpone(index);
        hasBegun = mayBeDone;
        throw error;
      }
    });
  };
  const noMail = refuseMails !== undefined;
  const options = {
    ...{ changes, noMail },
    isUndisturbed: (id: string) => isUndisturbed(id, self, calling),
    giveCodes: (one: PlannedUser) => giveCodes(one, context),
  };
  const groups = changesOf(planned, options);
  const answer = await calling.lanes.changes.turn(() => changeUser(groups, taken !== undefined, call));
  const update = updateOf(planned);
  if (answer.kind === "done") ledger.settleUpdate(index, update);
  else if (answer.kind === "disturbed") {
    if (isProtected) ledger.updates?.protected.push(userId);
    const conflict = withConflicts(update, answer.left);
    // Another account may have changed the state since the plan.
    const isBy = { states: undefined, changedBy: changedBy ?? conflict.changedBy, ...(isProtected ? PROTECTED : {}) };
    ledger.settleUpdate(index, { ...conflict, ...isBy });
  } else if (taken !== undefined && isNameTaken(answer)) {
    ledger.postpone(index);
    taken.push(planned);
  } else {
    const failure = failureOf("human_user", userId, answer);
    const cause = isNameTaken(answer) ? "user-name-taken" : failure.cause;
    const changed = answer.changed ?? [];
    const made = changed.length === 0 ? {} : { changed };
    ledger.failUpdate(index, { ...failure, ...made, cause, item: index, line: item.line }, update);
  }
  onUser();
}

/** Asks the log once more: the service would replace the key of a set-up that the user has begun since the plan. */
async function giveCodes(
  { item, entry, userId }: PlannedUser,
  { sender, self, protectedUsers }: Pick<UpdateContext, "sender" | "self" | "protectedUsers">,
): Promise<CallAnswer> {
  const { calling } = sender;
  let isDisturbed = false;
  const look = (read: () => Promise<readonly Item[]>): Promise<readonly Item[]> =>
    lookBeforeHarm(calling.api.address, async () => {
      const [lacking, isWithout, users] = await Promise.all([
        read(),
        neverHadCodes(userId, self, calling),
        protectedUsers(),
      ]);
      isDisturbed = !isWithout || users.has(userId);
      return isDisturbed ? [] : lacking;
    });
  // By now, the memory of the item holds another one.
  const own = { ...item, bytes: Buffer.from(JSON.stringify(entry)) };
  const [refused] = await sendOtpSecrets([own], sender, look);
  if (isDisturbed) return DISTURBED;
  if (refused === undefined) return DONE;
  const words = refused.message;
  return refused.cause === "gone" ? { kind: "gone", words } : { kind: "refused", code: "", words };
}

const PROTECTED = { reason: "protected" } as const;

/** True for a change by another account since the plan. An update neither creates nor deletes its users: another job did that. */
function isDisturbance(
  { type, editor, creationDate }: ServiceEvent,
  { self, readUntil }: Pick<UpdateContext, "self" | "readUntil">,
): boolean {
  const isByOther = editor?.userId !== self || (lifeEvents as readonly string[]).includes(type.type);
  return isByOther && (readUntil === undefined || isLater(creationDate, readUntil));
}

/** The change of a user with fields that were left, because another account has changed the user. */
function withConflicts(update: UserUpdate, left: readonly string[]): UserUpdate {
  return {
    ...update,
    fields: update.fields.filter((field) => !left.includes(field)),
    conflicts: [...update.conflicts, ...left],
  };
}

/** Why a user who was removed at the source stays. */
type NotRemoved = "not-ours" | "other-person" | "back" | "protected";

/**
 * Deletes, or deactivates, the users that the source has removed, unless they are too many. Immediately before each call, a repeated one
 * too, both event logs are asked once more: the source must have removed the user last, and the user of the target must still be the one
 * that this job's service user created. Raises what retries do not get over.
 */
export async function removeUsers(
  { plan: { how, orgs, isTooMany }, whyKept }: Removals,
  { sender: { calling, ledger }, changes, self }: UpdateContext,
  result: UpdateResult,
): Promise<void> {
  if (how === "keep" || isTooMany) return;
  const { signal } = calling;
  const pool = createPool(signal);
  const whyNotRemoved = async (userId: string, orgId: string): Promise<ChangeAnswer | NotRemoved | undefined> => {
    const last = await lastLifeEventOnce(userId, calling);
    // The user was to be removed: it does not matter which call did it.
    if (last !== undefined && !isAlive(last)) return { kind: "gone", words: "" };
    if (last?.editor?.userId !== self || last.aggregate.resourceOwner !== orgId) return "not-ours";
    return whyKept(userId, last);
  };
  const remove = async (userId: string, orgId: string): Promise<void> => {
    const answer = await callUser(calling, async (): Promise<ChangeAnswer | NotRemoved> => {
      const kept = await lookBeforeHarm(calling.api.address, () => whyNotRemoved(userId, orgId));
      if (kept !== undefined) return kept;
      ledger.beginChange();
      return how === "delete" ? changes.remove(userId, signal) : changes.setState(userId, "deactivate", signal);
    });
    if (answer === "back") return;
    if (typeof answer === "string") {
      result.notOurs.push(userId);
      if (answer === "protected") result.protected.push(userId);
      if (answer === "other-person") result.otherPerson.push(userId);
      return;
    }
    if (answer.kind === "refused") ledger.fail(failureOf("human_user", userId, answer));
    else result[how].push(userId);
  };
  try {
    for (const { orgId, userIds } of orgs) for (const userId of userIds) await pool.start(() => remove(userId, orgId));
  } finally {
    await pool.end();
  }
}

/** A refused change as a failure. */
export function failureOf(type: string, id: string, answer: Exclude<ChangeAnswer, { kind: "done" }>): Failure {
  const { words: message } = answer;
  const cause = answer.kind === "gone" ? "gone" : causeOf(type, { code: answer.code, key: message });
  return { type, id, message, cause };
}
