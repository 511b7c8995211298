import { type Answer, jsonAnswer, Refusal } from "../../http/answer.ts";
import type { Caller } from "../../http/auth.ts";
import type { JsonObject } from "../../http/json.ts";
import type { MessageName } from "../../messages/message-type.ts";
import type { Call, Instance } from "../../state/instance.ts";
import { type StoredUser, storedUser } from "../../state/lookup.ts";
import type { NewEvent } from "../../state/store.ts";
import { changeDetails } from "../../users/details.ts";
import { type MakeEvent, userEvent } from "../../users/human-events.ts";
import { userOf } from "../../users/human-user.ts";
import { accept, acceptCaller } from "../shared/accept.ts";

/** Error id for a missing permission to change users (probed on v4). */
export const NO_RIGHT = "AUTH-AWfge";

/** A call about one existing user. */
export interface UserCall {
  readonly caller: Caller;
  readonly request: JsonObject;
  readonly user: StoredUser;
}

/** The error for an unknown user. */
export type MissingUser = () => Refusal;

/** The defaults are those of most calls. */
export function missingUser(id: string, message = "User could not be found", kind: Refusal["kind"] = "notFound") {
  return () => new Refusal(kind, message, id);
}

/** Accepts a change of one user. `form` checks the request before the user is looked up. Raises Refusal, also for an unknown user. */
export async function acceptUserCall(
  call: Call,
  instance: Instance,
  message: MessageName,
  missing: MissingUser,
  form?: (request: JsonObject) => void,
): Promise<UserCall> {
  const [userId = ""] = call.parameters;
  const path = message.startsWith("zitadel.management.") ? { id: userId } : { userId };
  const expected = { permission: "user.write", refusalId: NO_RIGHT, path } as const;
  const { caller, request } = await accept(call, instance, message, expected);
  form?.(request);
  return { caller, request, user: existingUser(instance, userId, missing) };
}

/** The same for calls without a body. */
export function acceptBareUserCall(call: Call, instance: Instance, missing: MissingUser, refusalId = NO_RIGHT) {
  const caller = acceptCaller(call, instance, { permission: "user.write", refusalId });
  return { caller, user: existingUser(instance, call.parameters[0] ?? "", missing) };
}

/** Accepts a search of what one user has; undefined for an unknown user. */
export async function acceptUserSearch(call: Call, instance: Instance, message: MessageName) {
  const [userId = ""] = call.parameters;
  const { request } = await accept(call, instance, message, { permission: "user.read", path: { userId } });
  return { request, user: storedUser(instance.store.state, userId) };
}

/** The current state of a user. Raises Refusal for an unknown one. */
export function existingUser({ store }: Instance, userId: string, missing: MissingUser): StoredUser {
  const user = storedUser(store.state, userId);
  if (user === undefined) throw missing();
  return user;
}

/** One part of a change: the new members of `user`, and the events. */
export interface ChangeStep {
  readonly user: JsonObject;
  readonly events: readonly NewEvent[];
  /** A code that the caller asked for. */
  readonly code?: string;
}

export interface UserChange {
  readonly events: readonly NewEvent[];
  /** The changed entry, or its changed members of `user`; absent: it stays. */
  readonly entry?: JsonObject | undefined;
  readonly user?: JsonObject | undefined;
  /** The other members of the answer. */
  readonly answer?: JsonObject;
}

/** Stores a change with its events. Returns its answer. */
export function changeUser(instance: Instance, user: StoredUser, change: UserChange): Answer {
  const { store } = instance;
  const entry = change.user && { ...user.entry, user: { ...userOf(user.entry), ...change.user } };
  const changed = change.entry ?? entry;
  if (changed !== undefined)
    store.change({ do: "put", org: user.org.id, field: user.field, key: user.id, entry: changed });
  store.push(change.events);
  store.commit();
  return changedAnswer(instance, user, change.answer);
}

/** Returns a function that makes events of a user. */
export function eventsOf(user: StoredUser, caller: Caller): MakeEvent {
  const where = { userId: user.id, orgId: user.org.id, editor: caller.userId };
  return (type, payload) => userEvent(where, type, payload);
}

/** `{details}` of a change, with the other members of the answer. */
export function changedAnswer({ store }: Instance, user: StoredUser, more: JsonObject = {}): Answer {
  return jsonAnswer({ details: changeDetails(store.state, user.id, user.org.id), ...more });
}
