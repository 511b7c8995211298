import type { ServiceEvent } from "../../contract/events.ts";
import { ALL_METADATA_REMOVED, METADATA_REMOVED, METADATA_SET } from "../../core/events/instance-log.ts";
import { creationEvents, isCreation, MACHINE_ADDED, ORG_REMOVED, USER_REMOVED } from "../../core/events/user-life.ts";
import { fieldsOf, textMember } from "../../core/json/members.ts";
import { LISTED } from "../../problem/format.ts";
import { GrowingLog, type LogReading } from "../shared/read-log.ts";
import type { Held } from "./receive.ts";

/** A metadata entry of a user. */
export interface MissingEntry {
  readonly orgId: string;
  readonly userId: string;
  readonly key: string;
}

/** A user that the event log has. */
export interface MissingUser {
  readonly type: "human_user" | "machine_user";
  readonly id: string;
  readonly orgId: string;
  /** At the creation; "" if the event has none. */
  readonly userName: string;
}

/** What the event log has and an export lacks, or the reverse. */
export interface Lacking {
  readonly users: number;
  /** The first of them. */
  readonly namedUsers: readonly MissingUser[];
  /** Metadata entries of users that the export has. */
  readonly metadata: readonly MissingEntry[];
  /** Organizations that are missing completely. */
  readonly orgs: readonly string[];
  /** Organizations that the export has without some of their users or metadata, or with users who were deleted. */
  readonly partOrgs: readonly string[];
  /** Users that the export has, and that the log says were deleted. */
  readonly deleted: readonly string[];
  /** Organizations that the log says were deleted, without excluded ones. The name is "" if the log has none. */
  readonly removedOrgs: readonly { readonly id: string; readonly name: string }[];
}

/** The part of the log that counts. */
export interface LogScope {
  /** Only these organizations; none: all. */
  readonly orgIds: readonly string[];
  /** Not these organizations. */
  readonly excludedOrgIds: readonly string[];
  /** What was created later may be missing; RFC 3339. */
  readonly mark: string;
  readonly awaited: "all-users" | "service-users";
}

const AWAITED = {
  "all-users": [...creationEvents, METADATA_SET, METADATA_REMOVED, ALL_METADATA_REMOVED],
  "service-users": [MACHINE_ADDED],
} as const;
const OTHERS = [USER_REMOVED, "org.added", "org.changed", ORG_REMOVED];

/**
 * Finds what the event log has and an export lacks, across repeated exports of the same organizations. Keeps only what is missing. The
 * log is current; exports lag behind it (service behaviour 0.15), and the lists that they are made from may have lost entries (0.41).
 */
export class MissingParts {
  readonly #log: GrowingLog;
  readonly #markMs: number;
  readonly #excluded: ReadonlySet<string>;
  readonly #users = new Map<string, Map<string, MissingUser>>();
  /** Organization, user, keys. */
  readonly #metadata = new Map<string, Map<string, Set<string>>>();
  /** The users of an organization that were deleted and not created again. */
  readonly #deleted = new Map<string, Set<string>>();
  /** The log has the creations of all users, so that a deletion counts only if it is the last event. */
  readonly #knowsAll: boolean;
  readonly #liveOrgs = new Set<string>();
  readonly #removedOrgs = new Set<string>();
  readonly #orgNames = new Map<string, string>();

  constructor(scope: LogScope) {
    const eventTypes = [...AWAITED[scope.awaited], ...OTHERS];
    this.#log = new GrowingLog("comparing with the event log", { eventTypes, orgIds: scope.orgIds });
    this.#knowsAll = scope.awaited === "all-users";
    this.#markMs = Date.parse(scope.mark);
    this.#excluded = new Set(scope.excludedOrgIds);
  }

  /**
   * Reads the events since the last reading, and compares; undefined if the export has organizations and the log has no events of
   * organizations and users. A log of service users alone may be empty. Raises as reading events.
   */
  async compare(held: Held, reading: LogReading): Promise<Lacking | undefined> {
    this.#forget(held);
    await this.#log.read(reading, (event) => this.#take(event, held));
    if (this.#knowsAll && this.#log.readUntil === undefined && held.orgIds.length > 0) return undefined;
    const orgs = [...this.#liveOrgs].filter((orgId) => !held.hasOrg(orgId));
    const missing = [...this.#users].filter(([, ids]) => ids.size > 0);
    const users = missing.reduce((sum, [, ids]) => sum + ids.size, 0);
    const metadata = [...this.#missingMetadata(held)];
    const late = [...this.#deleted].map(
      ([orgId, ids]) => [orgId, [...ids].filter((id) => held.hasUser(orgId, id))] as const,
    );
    const deletedOf = late.filter(([, ids]) => ids.length > 0);
    const partOrgs = new Set([...missing, ...deletedOf].map(([orgId]) => orgId));
    for (const { orgId } of metadata) partOrgs.add(orgId);
    const namedUsers = missing.flatMap(([, all]) => [...all.values()].slice(0, LISTED)).slice(0, LISTED);
    const deleted = deletedOf.flatMap(([, ids]) => ids);
    const heldOrgs = [...partOrgs].filter((orgId) => held.hasOrg(orgId));
    const removedOrgs = [...this.#removedOrgs].map((id) => ({ id, name: this.#orgNames.get(id) ?? "" }));
    return { users, namedUsers, metadata, orgs, partOrgs: heldOrgs, deleted, removedOrgs };
  }

  /** Forgets what this export has. */
  #forget(held: Held): void {
    for (const [orgId, users] of this.#users)
      for (const userId of users.keys()) if (held.hasUser(orgId, userId)) users.delete(userId);
    for (const [orgId, users] of this.#metadata)
      for (const [userId, keys] of users)
        for (const key of keys) if (held.hasElement(orgId, "userMetadata", `${userId}_${key}`)) keys.delete(key);
  }

  *#missingMetadata(held: Held): Generator<MissingEntry> {
    for (const [orgId, users] of this.#metadata)
      for (const [userId, keys] of users)
        if (held.hasUser(orgId, userId)) for (const key of keys) yield { orgId, userId, key };
  }

  #take(event: ServiceEvent, held: Held): void {
    const { aggregate, type, creationDate } = event;
    const { id, resourceOwner } = aggregate;
    const isOrg = type.type.startsWith("org.");
    const orgId = isOrg ? id : resourceOwner;
    if (this.#excluded.has(orgId)) return;
    if (type.type === ORG_REMOVED) {
      // Its users are deleted without events. Users that are created in it later are in no export (service behaviour 0.11, 2.3).
      this.#removedOrgs.add(orgId);
      this.#liveOrgs.delete(orgId);
      for (const table of [this.#users, this.#metadata, this.#deleted]) table.delete(orgId);
      return;
    }
    if (type.type === "org.added") this.#removedOrgs.delete(orgId);
    const name = isOrg ? textMember(fieldsOf(event.payload), "name") : "";
    if (name !== "") this.#orgNames.set(orgId, name);
    if (this.#removedOrgs.has(orgId)) return;
    // A recreated user has no metadata of the former one.
    if (type.type === USER_REMOVED || type.type === ALL_METADATA_REMOVED || isCreation(event))
      this.#metadata.get(orgId)?.delete(id);
    if (type.type === USER_REMOVED) this.#users.get(orgId)?.delete(id);
    if (isCreation(event)) this.#deleted.get(orgId)?.delete(id);
    const key = textMember(fieldsOf(event.payload), "key");
    if (type.type === METADATA_REMOVED) this.#metadata.get(orgId)?.get(id)?.delete(key);
    if (Date.parse(creationDate) > this.#markMs) return;
    if (isOrg) this.#liveOrgs.add(orgId);
    else if (type.type === USER_REMOVED && this.#knowsAll)
      this.#deleted.set(orgId, (this.#deleted.get(orgId) ?? new Set<string>()).add(id));
    else if (isCreation(event) && !held.hasUser(orgId, id))
      this.#addUser({
        type: type.type === MACHINE_ADDED ? "machine_user" : "human_user",
        ...{ id, orgId, userName: textMember(fieldsOf(event.payload), "userName") },
      });
    else if (type.type === METADATA_SET && !held.hasElement(orgId, "userMetadata", `${id}_${key}`))
      this.#addMetadata(orgId, id, key);
  }

  #addUser(user: MissingUser): void {
    const users = this.#users.get(user.orgId) ?? new Map<string, MissingUser>();
    users.set(user.id, user);
    this.#users.set(user.orgId, users);
  }

  #addMetadata(orgId: string, userId: string, key: string): void {
    const users = this.#metadata.get(orgId) ?? new Map<string, Set<string>>();
    const keys = users.get(userId) ?? new Set();
    keys.add(key);
    users.set(userId, keys);
    this.#metadata.set(orgId, users);
  }
}
