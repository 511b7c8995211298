import { listEvents } from "../../../admin/events.ts";
import type { ServiceEvent } from "../../../contract/events.ts";
import { grantEventTypes } from "../../../core/events/rebuild/grant-fold.ts";
import { OrgLog, orgLogEventTypes, roleEventTypes } from "../../../core/events/rebuild/org-log.ts";
import { rebuildingEventTypes } from "../../../core/events/rebuild/user-fold.ts";
import { isCreation, lifeEvents, type OrgRemovals, userKey } from "../../../core/events/user-life.ts";
import { isLater } from "../../../core/rules/moment.ts";
import { IdTable } from "../../../core/tables/id-table.ts";
import type { CleanUp } from "../../../io/clean-up.ts";
import type { LogReading } from "../../shared/read-log.ts";
import { readOrgRemovals } from "../../shared/user-life.ts";
import { withProgress } from "../../shared/with-progress.ts";
import { EventStore } from "./event-store.ts";

/** The objects of an organization in a store: [from, to). */
interface Range {
  readonly from: number;
  readonly to: number;
}

/** The log of some organizations, up to one time. */
export interface ReadLog {
  readonly users: EventStore;
  readonly grants: EventStore;
  readonly orgs: OrgLog;
  /** Where the objects of an organization are. */
  rangesOf(orgId: string): { readonly users: Range; readonly grants: Range };
  /** True for a user who exists in one of the organizations. */
  hasUser(userId: string): boolean;
  /** How many events came after that time; they are not part of it. */
  readonly laterEvents: number;
  remove(): void;
}

const GRANT_TYPES: ReadonlySet<string> = new Set(grantEventTypes);
const LIFE_TYPES: ReadonlySet<string> = new Set(lifeEvents);
const ORG_TYPES: ReadonlySet<string> = new Set([...orgLogEventTypes, ...roleEventTypes]);
/** Three searches for each organization: one takes at most 30 types (service behaviour 0.19). */
const [USER_TYPES = [], RARE_TYPES = []] = rebuildingEventTypes;
const SEARCHES = [USER_TYPES, [...RARE_TYPES, ...grantEventTypes, ...orgLogEventTypes], roleEventTypes];

/**
 * Reads the events of these organizations up to `mark` (RFC 3339), with those of more types of users' events. Raises what reading events
 * raises, and output.*.
 */
export async function readLogOf(
  orgIds: readonly string[],
  moreTypes: readonly string[],
  mark: string,
  { api, ui, retry, signal }: LogReading,
  cleanUp: CleanUp,
): Promise<ReadLog> {
  const [users, grants, orgs, lives] = [new EventStore(cleanUp), new EventStore(cleanUp), new OrgLog(), new IdTable()];
  const ranges = new Map<string, { users: Range; grants: Range }>();
  const remove = (): void => {
    users.remove();
    grants.remove();
  };
  let laterEvents = 0;
  let read = 0;
  let removals: OrgRemovals | undefined;
  const take = (event: ServiceEvent): void => {
    const { type } = event.type;
    read += 1;
    if (removals?.after(event) !== undefined) return;
    if (isLater(event.creationDate, mark)) laterEvents += 1;
    else if (GRANT_TYPES.has(type)) grants.add(event);
    else if (ORG_TYPES.has(type)) orgs.take(event);
    else {
      users.add(event);
      const { id, resourceOwner } = event.aggregate;
      if (LIFE_TYPES.has(type)) lives.set(userKey(resourceOwner, id), isCreation(event) ? 1 : 0);
    }
  };
  const readAll = async (): Promise<void> => {
    removals = await readOrgRemovals(orgIds, { api, retry, signal });
    for (const orgId of orgIds) {
      const [firstUser, firstGrant] = [users.size, grants.size];
      for (const eventTypes of [...SEARCHES, moreTypes]) {
        if (eventTypes.length === 0) continue;
        for await (const event of listEvents(api, { eventTypes, orgId }, retry, signal)) take(event);
      }
      ranges.set(orgId, {
        users: { from: firstUser, to: users.size },
        grants: { from: firstGrant, to: grants.size },
      });
    }
  };
  try {
    await withProgress(ui, "reading the event log", readAll, { unit: "events", amount: () => ({ done: read }) });
  } catch (error) {
    remove();
    throw error;
  }
  return {
    users,
    grants,
    orgs,
    rangesOf: (orgId) => ranges.get(orgId) ?? { users: NOTHING, grants: NOTHING },
    hasUser: (userId) => orgIds.some((orgId) => lives.get(userKey(orgId, userId)) === 1),
    laterEvents,
    remove,
  };
}

const NOTHING: Range = { from: 0, to: 0 };
