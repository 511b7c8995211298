import type { ServiceEvent } from "../../contract/events.ts";
import { isLater } from "../rules/moment.ts";

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
/** The users of a removed organization are removed with it, without events, also if it is created again (service behaviour 9.48). */
export const ORG_REMOVED = "org.removed";

/** The events that say whether a user exists. */
export const lifeEvents = [...creationEvents, USER_REMOVED] as const;

/** Names a user of an organization. No id holds a NUL: the service refuses it. */
export function userKey(orgId: string, userId: string): string {
  return `${orgId}\u0000${userId}`;
}

/** True for an event that creates a user. */
export function isCreation({ type: { type } }: Pick<ServiceEvent, "type">): boolean {
  return isCreationType(type);
}

export function isCreationType(type: string): boolean {
  return (creationEvents as readonly string[]).includes(type);
}

/** True for a life event after which the user exists. A user's last event may be the removal of the organization. */
export function isAlive(event: ServiceEvent | undefined): event is ServiceEvent {
  return event !== undefined && event.type.type !== USER_REMOVED && event.type.type !== ORG_REMOVED;
}

/** The last removals of organizations. What an organization had before is gone, without events of its own (service behaviour 9.48). */
export class OrgRemovals {
  readonly #last = new Map<string, ServiceEvent>();

  /** Takes an event; only removals of organizations count. */
  take(event: ServiceEvent): void {
    const known = this.#last.get(event.aggregate.id);
    const isNewer = known === undefined || isLater(event.creationDate, known.creationDate);
    if (event.type.type === ORG_REMOVED && isNewer) this.#last.set(event.aggregate.id, event);
  }

  /** True for an organization that was removed, also if it exists again. */
  has(orgId: string): boolean {
    return this.#last.has(orgId);
  }

  /** The removal of an organization, by default its own, that an event came before; undefined without one. */
  after(
    { aggregate: { resourceOwner }, creationDate }: ServiceEvent,
    orgId: string = resourceOwner,
  ): ServiceEvent | undefined {
    const removal = this.#last.get(orgId);
    return removal !== undefined && isLater(removal.creationDate, creationDate) ? removal : undefined;
  }
}

/** When a job began, and by which accounts it runs. */
export interface JobMarks {
  /** The time of the target's newest event before the job; RFC 3339. */
  readonly mark: string | undefined;
  /** The accounts that the runs of the job had. */
  readonly accounts: ReadonlySet<string | undefined>;
}

/** True for what the job's accounts did, and for what happened before the job. */
export function isOwnOrEarlier(
  { at, by }: { readonly at: string; readonly by: string | undefined },
  { mark, accounts }: JobMarks,
): boolean {
  return accounts.has(by) || (mark !== undefined && !isLater(at, mark));
}

/** Events are recorded in the order in which their transactions end, and bear the times at which these began (service behaviour 0.35). */
export const OVERLAP_MS = 10_000;

/** The time from which a log is read again, so that no event is missed; undefined for a text that is no time. */
export function readAgainFrom(newest: string): string | undefined {
  const time = Date.parse(newest) - OVERLAP_MS;
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

/**
 * Where the source deleted a user: true if the user who has the id there now may be another person than the user of the target, because the
 * target's user is older. So it is if a date is unknown. RFC 3339; undefined: unknown.
 */
export function mayBeRecreated(createdAtSource: string | undefined, createdOnTarget: string | undefined): boolean {
  return createdAtSource === undefined || createdOnTarget === undefined || isLater(createdAtSource, createdOnTarget);
}
