import { createUserChanges } from "../../admin/user-changes.ts";
import { withRetry } from "../../admin/with-retry.ts";
import type { ServiceEvent } from "../../contract/events.ts";
import { isLater } from "../../core/rules/moment.ts";
import { ProblemError } from "../../problem.ts";
import { askTwice, isNotTold } from "./not-offered.ts";
import { type LogReading, readLog } from "./read-log.ts";

/** How an instance is asked something. */
type Asking = Omit<LogReading, "ui">;

export const USER_REMOVED = "user.removed";

/** So many users are looked up one by one; of more, the log of the whole instance is read. */
export const LOOKED_UP = 200;

/** The events that say whether a user exists. Users created by the first major version have its types. */
export const lifeEvents = [
  "user.human.added",
  "user.human.selfregistered",
  "user.machine.added",
  "user.added",
  "user.selfregistered",
  USER_REMOVED,
] as const;

/**
 * The last event that says whether a user exists, in whatever organization (`aggregate.resourceOwner`); undefined where there is none, as
 * for users of an instance import (spec: Events). Raises what reading events raises.
 */
export async function lastLifeEvent(userId: string, { api, retry, signal }: Asking): Promise<ServiceEvent | undefined> {
  const request = {
    limit: 1,
    asc: false,
    aggregate_types: ["user"],
    aggregate_id: userId,
    event_types: [...lifeEvents],
  };
  return (await withRetry(() => api.searchEvents(request, signal), retry, signal)).events[0];
}

/**
 * The user whose token a run has: the editor of its events. undefined where the target does not tell, asked twice: without it, what others
 * have created cannot be told apart. Raises net.*, auth.refused.
 */
export async function readSelf({ api, retry, signal }: Asking): Promise<string | undefined> {
  return askTwice(async () => {
    try {
      return await withRetry(() => createUserChanges(api).self(signal), retry, signal);
    } catch (error) {
      if (error instanceof ProblemError && isNotTold(error.problem.code)) return undefined;
      throw error;
    }
  });
}

/** What tells an event of a job from others. */
export interface OwnMarks {
  /** The newest event of the target before the job. */
  readonly mark: string;
  /** The user whose token the job has; undefined where the target does not tell. */
  readonly self: string | undefined;
  /** The organization that the input names; undefined where any will do. */
  readonly orgId?: string | undefined;
}

/** True for an event that a call of the job may have left: later than the job's mark, by its service user, in the right organization. */
export function isOwn(
  { creationDate, editor, aggregate: { resourceOwner } }: ServiceEvent,
  { mark, self, orgId }: OwnMarks,
): boolean {
  const isBySelf = self === undefined || editor?.userId === undefined || editor.userId === self;
  const isInOrg = orgId === undefined || resourceOwner === "" || resourceOwner === orgId;
  return isLater(creationDate, mark) && isBySelf && isInOrg;
}

/** True for the event of a user who exists by it. */
export function isAlive(event: ServiceEvent | undefined): event is ServiceEvent {
  return event !== undefined && event.type.type !== USER_REMOVED;
}

/** True when the log says last of a user that it was removed; a user of whom it says nothing is not. Raises what reading events raises. */
export async function isRemoved(userId: string, asking: Asking): Promise<boolean> {
  return (await lastLifeEvent(userId, asking))?.type.type === USER_REMOVED;
}

/** Those of some users of whom the log says last that they were removed. Raises what reading events raises. */
export async function selectRemoved(userIds: readonly string[], reading: LogReading): Promise<ReadonlySet<string>> {
  const removed = new Set<string>();
  if (userIds.length <= LOOKED_UP) {
    for (const id of userIds) if (await isRemoved(id, reading)) removed.add(id);
    return removed;
  }
  const wanted = new Set(userIds);
  // Of all organizations in one row: a user may have been deleted in one and created in another.
  await readLog("looking for users", { eventTypes: lifeEvents, orgIds: [] }, reading, (event) => {
    const { id } = event.aggregate;
    if (!wanted.has(id)) return;
    if (isAlive(event)) removed.delete(id);
    else removed.add(id);
  });
  return removed;
}
