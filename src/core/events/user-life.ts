import type { ServiceEvent } from "../../contract/events.ts";
import { IdTable } from "../tables/id-table.ts";

/** The events that create a user. Users created by the first major version have its types of events. */
export const creationEvents = [
  "user.human.added",
  "user.human.selfregistered",
  "user.machine.added",
  "user.added",
  "user.selfregistered",
] as const;
export const MACHINE_ADDED = "user.machine.added";
export const USER_REMOVED = "user.removed";
/** The users of a removed organization are removed with it, without events (service behaviour 2.3). */
export const ORG_REMOVED = "org.removed";

/** The events that say whether a user exists. */
export const lifeEvents = [...creationEvents, USER_REMOVED] as const;

/** True for an event that creates a user. */
export function isCreation({ type: { type } }: Pick<ServiceEvent, "type">): boolean {
  return (creationEvents as readonly string[]).includes(type);
}

/** True for a life event after which the user exists. */
export function isAlive(event: ServiceEvent | undefined): event is ServiceEvent {
  return event !== undefined && event.type.type !== USER_REMOVED;
}

/** Events are recorded in the order in which their transactions end, and bear the times at which these began (service behaviour 0.35). */
export const OVERLAP_MS = 10_000;

/** The time from which a log is read again, so that no event is missed; undefined for a text that is no time. */
export function readAgainFrom(newest: string): string | undefined {
  const time = Date.parse(newest) - OVERLAP_MS;
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

const UNKNOWN = 0;
const REMOVED = 1;
/** The mark of the first organization. */
const FIRST_ORG = 2;

/** Where each of some users exists, by the life events of the log. */
export class UserHomes {
  readonly #homes = new IdTable();
  readonly #orgIds: string[] = [];
  readonly #numbers = new Map<string, number>();

  /** @param userIds the users to follow; `want` adds more. */
  constructor(userIds: Iterable<string> = []) {
    for (const id of userIds) this.want(id);
  }

  want(userId: string): void {
    this.#homes.set(userId, UNKNOWN);
  }

  /** Takes the next event of an organization's log, or of the log of all organizations. */
  take(event: ServiceEvent): void {
    const { id, resourceOwner } = event.aggregate;
    const home = this.#homes.get(id);
    if (home === undefined) return;
    const number = this.#numberOf(resourceOwner);
    if (isAlive(event)) this.#homes.set(id, number);
    // A log that is read by organization may hold a removal from an earlier organization.
    else if (home === number || home === UNKNOWN) this.#homes.set(id, REMOVED);
  }

  /** The organization in which a user exists; undefined without one. */
  of(userId: string): string | undefined {
    return this.#orgIds[(this.#homes.get(userId) ?? UNKNOWN) - FIRST_ORG];
  }

  /** True for a user whose last life event is a removal. */
  isRemoved(userId: string): boolean {
    return this.#homes.get(userId) === REMOVED;
  }

  #numberOf(orgId: string): number {
    const known = this.#numbers.get(orgId);
    if (known !== undefined) return known;
    const number = this.#orgIds.push(orgId) - 1 + FIRST_ORG;
    this.#numbers.set(orgId, number);
    return number;
  }
}
