import type { JsonObject } from "../http/json.ts";
import type { LoggedEvent } from "../state/event-log.ts";
import type { State } from "../state/state.ts";
import { timestampOf } from "../state/timestamp.ts";
import type { Traits } from "../state/traits.ts";

/** Events that change the dates in the service's list of users (recordings 157, 33-get). */
const noticed: ReadonlySet<string> = new Set([
  ...["user.human.added", "user.machine.added", "user.username.changed", "user.human.profile.changed"],
  ...["user.human.email.changed", "user.human.email.verified", "user.human.phone.changed", "user.human.phone.verified"],
  ...["user.human.password.changed", "user.locked", "user.unlocked", "user.deactivated", "user.reactivated"],
]);

/** `details` of a change: the last event of an aggregate. */
export function changeDetails({ events }: State, aggregateId: string, resourceOwner: string): JsonObject {
  const [last] = events.ofAggregate(aggregateId);
  return { ...datesOf(last), resourceOwner };
}

function datesOf(event: LoggedEvent | undefined): JsonObject {
  return event === undefined ? {} : { sequence: String(event.sequence), changeDate: timestampOf(event.at) };
}

export interface UserDates {
  /** The last event that changes the dates in the list of users. */
  readonly changed: LoggedEvent | undefined;
  readonly added: LoggedEvent | undefined;
  /** The event that set the current password. */
  readonly passwordSet: LoggedEvent | undefined;
}

/** Reads the events of a user, the latest first, back to its creation. */
export function datesOfUser({ events }: State, userId: string): UserDates {
  let changed: LoggedEvent | undefined;
  let passwordSet: LoggedEvent | undefined;
  for (const event of events.ofAggregate(userId)) {
    if (noticed.has(event.type)) changed ??= event;
    if (event.type === "user.human.password.changed") passwordSet ??= event;
    if (event.type === "user.human.added" || event.type === "user.machine.added") {
      return { changed, added: event, passwordSet: passwordSet ?? event };
    }
  }
  return { changed, added: undefined, passwordSet };
}

/** `details` of a user in the users API. */
export function userDetails({ changed, added }: UserDates, orgId: string, traits: Traits): JsonObject {
  const creation = traits.answersCreationDate && added !== undefined ? { creationDate: timestampOf(added.at) } : {};
  return { ...datesOf(changed), resourceOwner: orgId, ...creation };
}
