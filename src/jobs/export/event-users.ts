import type { ServiceEvent } from "../../contract/events.ts";
import { creationEvents, MACHINE_ADDED, ORG_REMOVED, USER_REMOVED } from "../../core/events/user-life.ts";
import { GrowingLog, type LogReading } from "../shared/read-log.ts";
import type { Held } from "./receive.ts";

/** What the event log has and an export lacks. */
export interface Lacking {
  readonly users: number;
  /** Organizations that are missing completely. */
  readonly orgs: readonly string[];
  /** Organizations that the export has without some of their users. */
  readonly partOrgs: readonly string[];
}

/** The part of the log that counts. */
export interface LogScope {
  /** Only these organizations; none: all. */
  readonly orgIds: readonly string[];
  /** Not these organizations. */
  readonly excludedOrgIds: readonly string[];
  /** Users who were created later may be missing; RFC 3339. */
  readonly mark: string;
  readonly awaited: "all-users" | "service-users";
}

const ADDED = { "all-users": creationEvents, "service-users": [MACHINE_ADDED] } as const;
const OTHERS = [USER_REMOVED, "org.added", ORG_REMOVED];

/**
 * Finds the users of the event log that an export lacks, across repeated exports of the same organizations. Keeps only missing users. The
 * log is current; exports lag behind it (service behaviour 0.15).
 */
export class MissingUsers {
  readonly #log: GrowingLog;
  readonly #markMs: number;
  readonly #excluded: ReadonlySet<string>;
  readonly #missing = new Map<string, Set<string>>();
  readonly #liveOrgs = new Set<string>();
  readonly #removedOrgs = new Set<string>();

  constructor(scope: LogScope) {
    const eventTypes = [...ADDED[scope.awaited], ...OTHERS];
    this.#log = new GrowingLog("comparing with the event log", { eventTypes, orgIds: scope.orgIds });
    this.#markMs = Date.parse(scope.mark);
    this.#excluded = new Set(scope.excludedOrgIds);
  }

  /**
   * Reads the events since the last reading, and compares; undefined if the export has organizations and the log has no events. Raises as
   * reading events.
   */
  async compare(held: Held, reading: LogReading): Promise<Lacking | undefined> {
    for (const [orgId, users] of this.#missing)
      for (const userId of users) if (held.hasUser(orgId, userId)) users.delete(userId);
    await this.#log.read(reading, (event) => this.#take(event, held));
    if (this.#log.readUntil === undefined && held.orgIds.length > 0) return undefined;
    const missing = [...this.#missing].filter(([, ids]) => ids.size > 0);
    const users = missing.reduce((sum, [, ids]) => sum + ids.size, 0);
    const orgs = [...this.#liveOrgs].filter((orgId) => !held.hasOrg(orgId));
    return { users, orgs, partOrgs: missing.map(([orgId]) => orgId).filter((orgId) => held.hasOrg(orgId)) };
  }

  #take({ aggregate, type: { type }, creationDate }: ServiceEvent, held: Held): void {
    const { id, resourceOwner } = aggregate;
    const isOrg = type.startsWith("org.");
    const orgId = isOrg ? id : resourceOwner;
    if (this.#excluded.has(orgId)) return;
    if (type === ORG_REMOVED) {
      // Its users are deleted without events. Users that are created in it later are in no export (service behaviour 0.11, 2.3).
      this.#removedOrgs.add(orgId);
      this.#liveOrgs.delete(orgId);
      this.#missing.delete(orgId);
    } else if (this.#removedOrgs.has(orgId)) return;
    else if (type === USER_REMOVED) this.#missing.get(orgId)?.delete(id);
    else if (Date.parse(creationDate) > this.#markMs) return;
    else if (isOrg) this.#liveOrgs.add(orgId);
    else if (!held.hasUser(orgId, id)) this.#add(orgId, id);
  }

  #add(orgId: string, userId: string): void {
    const users = this.#missing.get(orgId) ?? new Set();
    users.add(userId);
    this.#missing.set(orgId, users);
  }
}
