import { withRetry } from "../../../admin/with-retry.ts";
import type { EventsRequest, ServiceEvent } from "../../../contract/events.ts";
import { viewOfEntry } from "../../../core/compare/user-view.ts";
import { isOwnCreation } from "../../../core/events/own-creation.ts";
import { lifeEvents } from "../../../core/events/user-life.ts";
import { fieldsOf, member, textMember } from "../../../core/json/members.ts";
import type { Asking } from "../../shared/asking.ts";
import { GrowingLog, type LogReading } from "../../shared/read-log.ts";
import type { OwnedUser } from "./belongings.ts";

/** A user with a longer history than this is not one that was just created. */
const MOST_EVENTS = 200;

/**
 * Events of other objects that give something to a user, or begin a session of one; the payload names the user. All versions know them:
 * a search for several types of which one is unknown fails (service behaviour 9.17).
 */
const GIFTS = {
  "user.grant.added": "userGrants",
  "org.member.added": "orgMembers",
  "project.member.added": "projectMembers",
  "project.grant.member.added": "projectGrantMembers",
  "user.grant.changed": "",
  "org.member.changed": "",
  "project.member.changed": "",
  "project.grant.member.changed": "",
  "instance.member.added": "",
  "session.user.checked": "",
} as const;

/** Whose events count, and since when: this job's service user, and the time of the target's newest event before the job. */
export interface Job {
  readonly self: string;
  readonly mark: string;
}

/**
 * All events of a user, oldest first; undefined if there are too many, or if the instance does not give them in order. Raises what reading
 * events raises.
 */
export async function readHistory(
  userId: string,
  { api, retry, signal }: Asking,
): Promise<readonly ServiceEvent[] | undefined> {
  const request = { limit: MOST_EVENTS, asc: true, aggregate_types: ["user"], aggregate_id: userId };
  const { events } = await withRetry(() => api.searchEvents(request, signal), retry, signal);
  const isOther = ({ aggregate }: ServiceEvent): boolean => aggregate.id !== userId;
  return events.length >= MOST_EVENTS || events.some(isOther) ? undefined : events;
}

/** The life events of a user, oldest first. Raises what reading events raises. */
export async function readLife(userId: string, { api, retry, signal }: Asking): Promise<readonly ServiceEvent[]> {
  const request: EventsRequest = {
    limit: 1_000,
    asc: true,
    aggregate_types: ["user"],
    aggregate_id: userId,
    event_types: [...lifeEvents],
  };
  return (await withRetry(() => api.searchEvents(request, signal), retry, signal)).events;
}

/** True if the log proves that the job created the user, and that nothing has happened since. Raises what reading events raises. */
export async function isProven(
  userId: string,
  orgId: string,
  { item, belongings }: OwnedUser,
  history: readonly ServiceEvent[],
  { self, mark }: Job,
): Promise<boolean> {
  const entry: unknown = JSON.parse(item.bytes.toString());
  const user = fieldsOf(member(fieldsOf(entry), "user"));
  const idps = member(user, "idps");
  const of = (key: string) => belongings.filter((one) => one.key === key);
  const metadata = of("userMetadata").map(({ bytes }) => {
    const fields = fieldsOf(JSON.parse(bytes.toString()));
    return { key: textMember(fields, "key"), value: textMember(fields, "value") };
  });
  const links = (Array.isArray(idps) ? idps.length : 0) + of("userLinks").length;
  const own = { orgId, view: viewOfEntry(entry), metadata, links, self, mark };
  return userId !== "" && isOwnCreation(history, own);
}

/**
 * The users among some who got something since the job began that the input does not give, or who have a session: deleting them would lose
 * it. The log grows: each reading continues where the one before ended.
 */
export class GivenLog {
  readonly #given = new Set<string>();
  /** How many events the input explains, by list and user. */
  readonly #left = new Map<string, number>();
  /** An event may be read twice. */
  readonly #seen = new Set<string>();
  readonly #users: ReadonlyMap<string, OwnedUser>;
  readonly #log: GrowingLog;
  readonly #self: string;

  constructor(users: ReadonlyMap<string, OwnedUser>, { self, mark }: Job) {
    this.#users = users;
    this.#self = self;
    this.#log = new GrowingLog("checking what users were given", {
      eventTypes: Object.keys(GIFTS),
      orgIds: [],
      after: mark,
    });
    for (const [id, { belongings }] of users)
      for (const { key } of belongings) this.#left.set(`${key} ${id}`, (this.#left.get(`${key} ${id}`) ?? 0) + 1);
  }

  /** Raises what reading events raises. */
  async read(reading: LogReading): Promise<ReadonlySet<string>> {
    await this.#log.read(reading, (event) => this.#take(event));
    return this.#given;
  }

  #take({ type, payload, editor, aggregate, sequence }: ServiceEvent): void {
    const fields = fieldsOf(payload);
    for (const id of [textMember(fields, "userId"), textMember(fields, "userID")]) {
      const place = `${aggregate.id} ${sequence} ${type.type} ${id}`;
      if (!this.#users.has(id) || this.#seen.has(place)) continue;
      this.#seen.add(place);
      const list = GIFTS[type.type as keyof typeof GIFTS] ?? "";
      const rest = this.#left.get(`${list} ${id}`) ?? 0;
      if (list === "" || editor?.userId !== this.#self || rest === 0) this.#given.add(id);
      else this.#left.set(`${list} ${id}`, rest - 1);
    }
  }
}
