import { isObject, type JsonObject, listAt, textAt, valueAt } from "../http/json.ts";
import type { NewEvent } from "../state/store.ts";
import { stateOf, userOf } from "./human-user.ts";

/** The common fields of one user's events. */
export interface UserEvents {
  readonly userId: string;
  readonly orgId: string;
  readonly editor: string;
}

/** Makes events of one user. */
export type MakeEvent = (type: string, payload?: JsonObject) => NewEvent;

/** An event of one user, for `store.push`. */
export function userEvent({ userId, orgId, editor }: UserEvents, type: string, payload?: JsonObject): NewEvent {
  const event = { type, aggregateType: "user", aggregateId: userId, orgId, editor };
  return payload === undefined ? event : { ...event, payload };
}

/** The events of a one-time password that is added. */
export const OTP_EVENTS = ["user.human.mfa.otp.added", "user.human.mfa.otp.verified"] as const;

export interface ImportedUser {
  /** The stored entry. */
  readonly entry: JsonObject;
  readonly links: readonly JsonObject[];
  /** Must complete the account with a code sent by e-mail (service behaviour 2.6). */
  readonly initial: boolean;
  readonly passwordless: boolean;
}

/** The events that the service writes for one imported human user, in one push (service behaviour 0.2, 2.6; recordings 141, 179). */
export function importEvents(user: ImportedUser, where: UserEvents): readonly NewEvent[] {
  const { entry, initial, passwordless } = user;
  const event: MakeEvent = (type, payload) => userEvent(where, type, payload);
  const verified = valueAt(userOf(entry), "email", "isEmailVerified") === true;
  const state = stateOf(entry);
  return [
    event("user.human.added", entry),
    ...user.links.map((link) => event("user.human.externalidp.added", linkPayload(link))),
    ...(verified ? [event("user.human.email.verified")] : []),
    ...(initial ? [event("user.human.initialization.code.added")] : []),
    ...(verified || initial ? [] : [event("user.human.email.code.added")]),
    ...phoneEvents(entry, event),
    ...(passwordless ? [event("user.human.passwordless.initialization.code.added")] : []),
    ...(state === "USER_STATE_INACTIVE" ? [event("user.deactivated")] : []),
    ...(state === "USER_STATE_LOCKED" ? [event("user.locked")] : []),
  ];
}

function phoneEvents(entry: JsonObject, event: MakeEvent): readonly NewEvent[] {
  const phone = valueAt(userOf(entry), "phone");
  if (!isObject(phone)) return [];
  return [event(phone["isPhoneVerified"] === true ? "user.human.phone.verified" : "user.human.phone.code.added")];
}

/** The payload of the event for an entry of `userLinks`. */
export function linkPayload(link: JsonObject): JsonObject {
  const displayName = textAt(link, "providedUserName");
  return {
    ...(displayName === "" ? {} : { displayName }),
    idpConfigId: textAt(link, "idpId"),
    userId: textAt(link, "providedUserId"),
  };
}

/** Links of a user in the form of the organization's list `userLinks`, in which the service stores them. */
export function linksOfUser(userId: string, user: JsonObject): readonly JsonObject[] {
  return listAt(user, "idps").map((link) => ({
    userId,
    idpId: textAt(link, "configId"),
    providedUserId: textAt(link, "externalUserId"),
    ...(textAt(link, "displayName") === "" ? {} : { providedUserName: textAt(link, "displayName") }),
  }));
}
