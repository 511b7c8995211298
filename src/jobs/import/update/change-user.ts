import type { ChangeAnswer, UserChanges } from "../../../admin/user-changes.ts";
import { type Fields, fieldsOf, textMember } from "../../../core/json/members.ts";
import { UNIQUE } from "../../../core/transfer/answer/cause.ts";
import { isOfPassword, type StateStep, toUpdateCalls } from "../../../core/update/update-calls.ts";
import type { ComparedField } from "../../../core/user-fields.ts";
import { metadataFields, type PlannedUser } from "./plan-updates.ts";

/** The outcome of a change. `disturbed`: it was not made, because another account has changed the user since the plan. */
export type CallAnswer = ChangeAnswer | { readonly kind: "disturbed" };

/** The outcome of all changes of a user; `left`: the fields that were not changed, `changed`: of a refusal, those that were. */
export type UpdateAnswer =
  | (ChangeAnswer & { readonly changed?: readonly string[] })
  | { readonly kind: "disturbed"; readonly left: readonly string[] };

/** A call that changes a user; it can be repeated. */
export type Change = (signal: AbortSignal) => Promise<CallAnswer>;

export const DONE: ChangeAnswer = { kind: "done" };
export const DISTURBED: CallAnswer = { kind: "disturbed" };

/**
 * Updates a user by calls in order. If the service refuses one of several independent changes, the others are made nevertheless: a user
 * is locked and gets the new password also when the new name is refused. The answer is then the first refusal. `mayWait`: a user with a
 * taken name is tried again later as a whole. Raises what `call` raises.
 */
export async function changeUser(
  groups: readonly ChangeGroup[],
  mayWait: boolean,
  call: (change: Change) => Promise<CallAnswer>,
): Promise<UpdateAnswer> {
  let refusal: Extract<ChangeAnswer, { kind: "refused" }> | undefined;
  const left: string[] = [];
  const changed: string[] = [];
  for (const { fields, calls, parts = [] } of groups) {
    let whole: CallAnswer = DONE;
    for (const change of calls) if (whole.kind === "done") whole = await call(change);
    const waits = mayWait && isNameTaken(whole);
    const isDivided = whole.kind === "refused" && !waits && parts.length > 1;
    const answer: UpdateAnswer | CallAnswer = isDivided ? await changeUser(parts, mayWait, call) : whole;
    if (answer.kind === "done") changed.push(...fields);
    else if ("changed" in answer) changed.push(...(answer.changed ?? []));
    if (answer.kind === "gone" || (waits && answer.kind === "refused")) return answer;
    if (answer.kind === "refused") refusal ??= answer;
    if (answer.kind === "disturbed") left.push(...fields);
  }
  if (refusal !== undefined) return { ...refusal, changed };
  return left.length > 0 ? { kind: "disturbed", left } : DONE;
}

/** Calls in order, up to the first refusal. */
interface ChangeGroup {
  /** What the calls change, as a report names it. */
  readonly fields: readonly string[];
  readonly calls: readonly Change[];
  /** The same change as independent calls: the service does nothing of a refused call. */
  readonly parts?: readonly ChangeGroup[];
}

/** How the calls of a user are made. */
interface ChangeOptions {
  readonly changes: UserChanges;
  readonly noMail: boolean;
  /** True unless another user has changed how this user signs in since the plan. */
  isUndisturbed(userId: string): Promise<boolean>;
  /** Gives a user the one-time codes of the input. */
  giveCodes(planned: PlannedUser): Promise<CallAnswer>;
}

/** The calls by kind of change. */
export function changesOf(
  planned: PlannedUser,
  { changes, noMail, isUndisturbed, giveCodes }: ChangeOptions,
): readonly ChangeGroup[] {
  const { entry, userId, orgId, wanted, user, plan, metadata } = planned;
  const { state: from, isInitial, isLockedUnfinished } = user;
  const options = { from, isInitial, isLockedUnfinished, noMail };
  const { put, removesPhone, states, isForPassword, lastPut } = toUpdateCalls(entry, wanted, plan.fields, options);
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
  // A lock that another user has set is kept, and so is a password that the user has set.
  const unlessDisturbed =
    (change: Change): Change =>
    async (signal) =>
      (await isUndisturbed(userId)) ? change(signal) : DISTURBED;
  const last = [...states.map(toState), ...(lastPut === undefined ? [] : [update(lastPut)])];
  // The service checks the hash before it looks at the user: a hash that it refuses causes no lock.
  const check: Change[] = isInitial && lastPut !== undefined ? [asCheck(update(lastPut))] : [];
  const isOfPhone = (field: string): boolean => removesPhone && ["phone", "isPhoneVerified"].includes(field);
  const isLast = (field: string): boolean => field === "state" || (isForPassword && isOfPassword(field));
  const ofCodes = plan.fields.filter((field) => field === "otp");
  const isFirst = (field: ComparedField): boolean => field !== "otp" && !isOfPhone(field) && !isLast(field);
  return [
    {
      fields: plan.fields.filter(isFirst),
      calls: put === undefined ? [] : [update(put)],
      parts: partsOf(put).map(({ members, body }) => ({
        fields: plan.fields.filter((field) => isFirst(field) && members.includes(memberOf(field))),
        calls: [update(body)],
      })),
    },
    {
      fields: plan.fields.filter(isOfPhone),
      calls: removesPhone ? [(signal) => changes.removePhone(userId, signal)] : [],
    },
    { fields: plan.fields.filter(isLast), calls: isForPassword ? [...check, ...last].map(unlessDisturbed) : last },
    { fields: metadataFields(metadata), calls: ofMetadata },
    { fields: ofCodes, calls: ofCodes.map(() => () => giveCodes(planned)) },
  ];
}

const NOT_INITIALIZED = "COMMAND-M9dse";

/** A password for a user who has not finished registration: the refusal for that reason is the expected answer. */
function asCheck(change: Change): Change {
  return async (signal) => {
    const answer = await change(signal);
    return answer.kind === "refused" && answer.code === NOT_INITIALIZED ? DONE : answer;
  };
}

/** A part of the body of a `PUT`. */
interface PutPart {
  readonly members: readonly string[];
  readonly body: object;
}

/**
 * One body for each member: name, profile, address, phone, password. A user name that is the address changes with it or not at all: the
 * user would get messages at an address whose name another user has.
 */
function partsOf(put: Fields = {}): readonly PutPart[] {
  const { username, email, ...others } = put;
  // The service compares names without regard to capital letters.
  const isOne = String(username).toLowerCase() === textMember(fieldsOf(email), "email").toLowerCase();
  const first = username !== undefined && isOne ? [{ username, email }] : [{ username }, { email }];
  return [...first, ...Object.entries(others).map(([name, value]) => ({ [name]: value }))].flatMap((body) => {
    const members = Object.entries(body).flatMap(([name, value]) => (value === undefined ? [] : [name]));
    return members.length === 0 ? [] : [{ members, body }];
  });
}

/** The member of the body that changes a field. */
function memberOf(field: ComparedField): string {
  switch (field) {
    case "userName":
      return "username";
    case "hash":
    case "passwordChangeRequired":
      return "password";
    case "email":
    case "isEmailVerified":
      return "email";
    case "phone":
    case "isPhoneVerified":
      return "phone";
    default:
      return "profile";
  }
}

/** True for the name of another user, who may give it up by a later update. */
export function isNameTaken(answer: CallAnswer): boolean {
  return answer.kind === "refused" && answer.code === UNIQUE;
}
