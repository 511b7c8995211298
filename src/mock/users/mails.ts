import type { Mail } from "../api.ts";
import { textAt, valueAt } from "../http/json.ts";
import type { LoggedEvent } from "../state/event-log.ts";
import { storedUser } from "../state/lookup.ts";
import type { State } from "../state/state.ts";
import { timestampOf } from "../state/timestamp.ts";
import { userOf } from "./human-user.ts";

const reasons: Readonly<Record<string, Mail["reason"]>> = {
  "user.human.initialization.code.added": "initialization",
  "user.human.email.code.added": "email-verification",
  "user.human.password.code.added": "password-reset",
  "user.human.invite.code.added": "invitation",
  "user.human.password.changed": "password-changed",
  "user.human.phone.code.added": "phone-verification",
};

/** All e-mails and text messages that the real service would have sent, oldest first; derived from the events alone, as there. */
export function mailsOf(state: State): Mail[] {
  return state.events.all.map((event) => toMail(event, state)).filter((mail) => mail !== undefined);
}

/** The number of messages to a user. */
export function countMailsOf(state: State, userId: string): number {
  return state.events.ofAggregate(userId).filter((event) => toMail(event, state) !== undefined).length;
}

function toMail(event: LoggedEvent, state: State): Mail | undefined {
  const reason = reasons[event.type];
  // A code that the caller asked to have in the answer is not sent.
  if (reason === undefined || event.payload?.["code_returned"] === true) return undefined;
  const to = addressOf(event, reason, state);
  if (to === undefined) return undefined;
  const by = reason === "phone-verification" ? "sms" : "mail";
  return { userId: event.aggregateId, orgId: event.orgId, to, by, reason, at: timestampOf(event.at) };
}

/** undefined: no message, because a changed password is only announced to a verified address. */
function addressOf({ aggregateId }: LoggedEvent, reason: Mail["reason"], state: State): string | undefined {
  const user = userOf(storedUser(state, aggregateId)?.entry ?? {});
  if (reason === "phone-verification") return textAt(user, "phone", "phone");
  if (reason === "password-changed" && valueAt(user, "email", "isEmailVerified") !== true) return undefined;
  return textAt(user, "email", "email");
}
