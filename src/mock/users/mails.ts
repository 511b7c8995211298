import { textAt, valueAt } from "../http/json.ts";
import type { LoggedEvent } from "../state/event-log.ts";
import { storedUser } from "../state/lookup.ts";
import type { State } from "../state/state.ts";
import { timestampOf } from "../state/timestamp.ts";
import { userOf } from "./human-user.ts";

/** Why somebody is written to. */
export type MailReason = "initialization" | "email-verification" | "password-changed" | "phone-verification";

/** A mail, or a text message, that the real service would have sent. */
export interface Mail {
  readonly userId: string;
  readonly orgId: string;
  /** Address or number at that time, as far as it is still known. */
  readonly to: string;
  readonly by: "mail" | "sms";
  readonly reason: MailReason;
  /** RFC 3339. */
  readonly at: string;
}

const reasons: Readonly<Record<string, MailReason>> = {
  "user.human.initialization.code.added": "initialization",
  "user.human.email.code.added": "email-verification",
  "user.human.password.changed": "password-changed",
  "user.human.phone.code.added": "phone-verification",
};

/** Everything that the real service would have sent, the oldest first. It is told from the events alone, as there. */
export function mailsOf(state: State): Mail[] {
  return state.events.all.map((event) => toMail(event, state)).filter((mail) => mail !== undefined);
}

/** How often a user would have been written to. */
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

/** undefined: nobody is written to, as there is no verified address to write to about a changed password. */
function addressOf({ aggregateId }: LoggedEvent, reason: MailReason, state: State): string | undefined {
  const user = userOf(storedUser(state, aggregateId)?.entry ?? {});
  if (reason === "phone-verification") return textAt(user, "phone", "phone");
  if (reason === "password-changed" && valueAt(user, "email", "isEmailVerified") !== true) return undefined;
  return textAt(user, "email", "email");
}
