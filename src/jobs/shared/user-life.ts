import { listEvents, newestEvent } from "../../admin/events.ts";
import { createUserChanges } from "../../admin/user-changes.ts";
import { withRetry } from "../../admin/with-retry.ts";
import type { ServiceEvent } from "../../contract/events.ts";
import { GRANT_ADDED, membershipAdditions, rightIn } from "../../core/events/belonging-log.ts";
import { CODE_ADDED, loggedEventTypes } from "../../core/events/instance-log.ts";
import { changeOf } from "../../core/events/user-change.ts";
import { isSignIn, PASSWORD_CHANGED } from "../../core/events/user-history.ts";
import {
  creationEvents,
  isAlive,
  isCreation,
  lifeEvents,
  MACHINE_ADDED,
  ORG_REMOVED,
  OrgRemovals,
  USER_REMOVED,
} from "../../core/events/user-life.ts";
import { fieldsOf, textMember } from "../../core/json/members.ts";
import { isLater } from "../../core/rules/moment.ts";
import type { Asking } from "./asking.ts";
import { askTwice, ifOffered } from "./not-offered.ts";
import { type LogReading, readLog } from "./read-log.ts";

/** At most this many users are looked up one by one; for more, the log of the whole instance is read. */
export const LOOKED_UP = 200;

/**
 * The last event that says whether a user exists, in any organization (`aggregate.resourceOwner`): also the removal of that organization.
 * undefined without one, as for users of an instance import (spec: Events). Raises what reading events raises.
 */
export async function lastLifeEvent(userId: string, asking: Asking): Promise<ServiceEvent | undefined> {
  return withRetry(() => lastLifeEventOnce(userId, asking), asking.retry, asking.signal);
}

/** When a user was last created; undefined for a user that does not exist. RFC 3339. Raises what reading events raises. */
export type CreatedAt = (userId: string) => Promise<string | undefined>;

/**
 * Answers for the users of `ids`: by one call for each, and after some questions by one reading of the log of the organizations, as soon as
 * more of them would take more calls than it. `users`: how many the organizations have.
 */
export function openCreatedAt(
  ids: ReadonlySet<string>,
  { orgIds, users }: { readonly orgIds: readonly string[]; readonly users: number },
  reading: LogReading,
): CreatedAt {
  let left = ASKED_OF_FEW + users / EVENTS_IN_CALL;
  let found: Promise<ReadonlyMap<string, ServiceEvent>> | undefined;
  const inLog = async (userId: string): Promise<ServiceEvent | undefined> => {
    found ??= lifeEventsOf(ids, orgIds, reading);
    return (await found).get(userId);
  };
  return async (userId) => {
    left -= CALLS_OF_LOOKUP;
    const last = await (left >= 0 ? lastLifeEvent(userId, reading) : inLog(userId));
    return isAlive(last) ? last.creationDate : undefined;
  };
}

/** A reading has a call for each organization, at least. */
const ASKED_OF_FEW = 10;
/** The second one asks for the removal of the organization. */
const CALLS_OF_LOOKUP = 2;
const EVENTS_IN_CALL = 1_000;

/**
 * Passes the removals of users of all organizations: a user may be deleted in one and created in another one, with the same id. Raises what
 * reading events raises.
 */
export function readRemovals(reading: LogReading, take: (event: ServiceEvent) => void): Promise<void> {
  return readLog("reading the source's events", { eventTypes: [USER_REMOVED], orgIds: [] }, reading, take);
}

/** The last removals of these organizations; of all if the list is empty. Raises what reading events raises. */
export async function readOrgRemovals(orgIds: readonly string[], { api, retry, signal }: Asking): Promise<OrgRemovals> {
  const removals = new OrgRemovals();
  const asking = { api, retry, signal }; // without a progress line
  await readLog("", { eventTypes: [ORG_REMOVED], orgIds }, asking, (event) => removals.take(event));
  return removals;
}

/** The last life event of each of these users in these organizations; of all organizations if the list is empty. */
async function lifeEventsOf(
  ids: ReadonlySet<string>,
  orgIds: readonly string[],
  reading: LogReading,
): Promise<ReadonlyMap<string, ServiceEvent>> {
  const last = new Map<string, ServiceEvent>();
  const removals = new OrgRemovals();
  await readLog("looking for users", { eventTypes: [...lifeEvents, ORG_REMOVED], orgIds }, reading, (event) => {
    removals.take(event);
    const { id } = event.aggregate;
    const known = last.get(id);
    // Of one organization, events come in order; a user may have been deleted in one and created in another.
    const isNewer = known === undefined || !isLater(known.creationDate, event.creationDate);
    if (ids.has(id) && isNewer && event.type.type !== ORG_REMOVED) last.set(id, event);
  });
  return withRemovals(last, removals);
}

function withRemovals(last: Map<string, ServiceEvent>, removals: OrgRemovals): ReadonlyMap<string, ServiceEvent> {
  for (const [id, event] of last) if (isAlive(event)) last.set(id, removals.after(event) ?? event);
  return last;
}

/** The same without retries, for a caller that repeats it. */
export async function lastLifeEventOnce(
  userId: string,
  { api, signal }: Pick<Asking, "api" | "signal">,
): Promise<ServiceEvent | undefined> {
  const last = await lastOwnLifeEvent(userId, { api, signal });
  if (!isAlive(last)) return last;
  const ofOrg = { aggregate_types: ["org"], aggregate_id: last.aggregate.resourceOwner, event_types: [ORG_REMOVED] };
  const removal = ofOrg.aggregate_id === "" ? undefined : await newestEvent(api, signal, ofOrg);
  return removal !== undefined && isLater(removal.creationDate, last.creationDate) ? removal : last;
}

/** The last event of the user alone, by one call. */
function lastOwnLifeEvent(
  userId: string,
  { api, signal }: Pick<Asking, "api" | "signal">,
): Promise<ServiceEvent | undefined> {
  return newestEvent(api, signal, { aggregate_types: ["user"], aggregate_id: userId, event_types: [...lifeEvents] });
}

/** As many events of one user are asked for as a run and others may have written meanwhile. */
const NEWEST = 50;

/** The events of one user since the creation: sign-ins and metadata are many. */
const MOST_SINCE_CREATION = 500;

/** The newest events of a user that an update compares, newest first. By one call, for a caller that repeats it. */
export async function newestChangesOnce(
  userId: string,
  { api, signal }: Pick<Asking, "api" | "signal">,
): Promise<readonly ServiceEvent[]> {
  const request = { limit: NEWEST, asc: false, aggregate_types: ["user"], aggregate_id: userId };
  return (await api.searchEvents({ ...request, event_types: [...loggedEventTypes] }, signal)).events;
}

/** The events that open or close a user. */
const stateEvents: readonly string[] = ["user.locked", "user.unlocked", "user.deactivated", "user.reactivated"];

/** The events that give a user rights. */
const rightsEvents: readonly string[] = [GRANT_ADDED, ...membershipAdditions];

/**
 * What happened to a user of the organization since the creation by the job's accounts. "untouched": no other account changed the user or gave the
 * user rights (a sign-in changes nothing), and nothing opened or closed the user. "closed": the last of those made the user inactive or locked.
 * Raises what reading events raises.
 */
export async function sinceCreation(
  userId: string,
  orgId: string,
  accounts: ReadonlySet<string | undefined>,
  { api, retry, signal }: Asking,
): Promise<"untouched" | "closed" | "changed"> {
  const events = await changesSinceCreation(userId, { api, retry, signal });
  const state = events.find(({ type }) => stateEvents.includes(type.type))?.type.type;
  if (state === "user.locked" || state === "user.deactivated") return "closed";
  const isOwn = ({ aggregate, editor }: ServiceEvent): boolean =>
    accounts.has(editor?.userId) && aggregate.resourceOwner === orgId;
  const after = events.at(-1)?.creationDate;
  if (state !== undefined || after === undefined || !events.every(isOwn)) return "changed";
  for await (const event of listEvents(api, { eventTypes: rightsEvents, after }, retry, signal))
    if (rightIn(event).userId === userId && !accounts.has(event.editor?.userId)) return "changed";
  return "untouched";
}

/**
 * The newest changes of a user, newest first, back to the creation: a former user of the id may have been closed. A sign-in is none, nor is
 * a message that the service sends (service behaviour 0.40). Empty for a user without a creation among the newest events.
 */
async function changesSinceCreation(userId: string, { api, retry, signal }: Asking): Promise<readonly ServiceEvent[]> {
  const request = { limit: MOST_SINCE_CREATION, asc: false, aggregate_types: ["user"], aggregate_id: userId };
  const { events } = await withRetry(() => api.searchEvents(request, signal), retry, signal);
  return events.slice(0, events.findIndex(isCreation) + 1).filter((event) => !isSignIn(event) && !isSentMessage(event));
}

/** True for the event of a message that the service has sent, by an account of its own. */
function isSentMessage({ type: { type } }: ServiceEvent): boolean {
  return type.endsWith(".sent");
}

/** The events of one-time codes: of an app, by SMS and by e-mail. */
const CODES = "user.human.mfa.otp.";

/**
 * True for a user that this account alone has changed since it created the user, and who never had one-time codes. Raises what reading
 * events raises.
 */
export async function neverHadCodes(userId: string, self: string, asking: Asking): Promise<boolean> {
  const changes = await changesSinceCreation(userId, asking);
  const isWithoutCodes = ({ editor, type }: ServiceEvent): boolean =>
    editor?.userId === self && !type.type.startsWith(CODES);
  return changes.length > 0 && changes.every(isWithoutCodes);
}

/** The events after which a user signs in in another way, or not at all. A sign-in that hashes the same password again is none. */
const signInEvents: readonly string[] = [
  ...lifeEvents,
  PASSWORD_CHANGED,
  CODE_ADDED,
  "user.human.initialization.check.succeeded",
  ...stateEvents,
];

/** The events that give a user names. */
const namingEvents: readonly string[] = [
  ...creationEvents,
  "user.username.changed",
  "user.human.email.changed",
  "user.human.password.changed",
  "user.human.password.hash.updated",
];

/**
 * The user names, e-mail addresses (in small letters) and password hashes that a user has had, of a service user apart; with `former`, also those of former users of
 * the id. Empty for a user without events, as for users of an instance import (spec: Events). Raises what reading events raises.
 */
export async function namesOf(
  userId: string,
  { api, retry, signal }: Asking,
  { former }: { readonly former: boolean },
): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  const filter = { eventTypes: namingEvents, aggregateId: userId };
  for await (const event of listEvents(api, filter, retry, signal)) {
    const { type, payload } = event;
    if (isCreation(event) && !former) names.clear();
    // A person is no service user, also of the same name: no user name has a NUL.
    if (type.type === MACHINE_ADDED)
      names.add(`machine\u0000${textMember(fieldsOf(payload), "userName").toLowerCase()}`);
    const change = changeOf(type.type, payload);
    if (change?.kind !== "added" && change?.kind !== "changed") continue;
    const { userName = "", email = "", hash = "" } = change.view;
    for (const name of [userName.toLowerCase(), email.toLowerCase(), hash]) if (name !== "") names.add(name);
  }
  return names;
}

/** True if the last of these events created the user, is a code to finish registration, or is by this job's service user. One call. */
export async function isUndisturbed(
  userId: string,
  self: string,
  { api, signal }: Pick<Asking, "api" | "signal">,
): Promise<boolean> {
  const request = { aggregate_types: ["user"], aggregate_id: userId, event_types: [...signInEvents] };
  const last = await newestEvent(api, signal, request);
  return last !== undefined && (last.editor?.userId === self || last.type.type === CODE_ADDED || isCreation(last));
}

/**
 * The id of the user that the run's token is for: the editor of its events. undefined where the target does not give it, asked twice:
 * without it, users that this job created look like users that others created. Raises net.*, auth.refused.
 */
export async function readSelf({ api, retry, signal }: Asking): Promise<string | undefined> {
  return askTwice(() => ifOffered(() => withRetry(() => createUserChanges(api).self(signal), retry, signal)));
}

/** The marks of a job's events. */
export interface OwnMarks {
  /** The time of the target's newest event before the job. */
  readonly mark: string;
  /** The user that the job's token is for; undefined if the target does not give it. */
  readonly self: string | undefined;
  /** The organization that the input names; undefined: any. */
  readonly orgId?: string | undefined;
}

/** True for an event that a call of the job may have caused: later than the job's mark, by its service user, in the right organization. */
export function isOwn(
  { creationDate, editor, aggregate: { resourceOwner } }: ServiceEvent,
  { mark, self, orgId }: OwnMarks,
): boolean {
  const isBySelf = self === undefined || editor?.userId === undefined || editor.userId === self;
  const isInOrg = orgId === undefined || resourceOwner === "" || resourceOwner === orgId;
  return isLater(creationDate, mark) && isBySelf && isInOrg;
}

/** True for a user whose last life event is a removal; false for a user without events. Raises what reading events raises. */
export async function isRemoved(userId: string, asking: Asking): Promise<boolean> {
  const last = await lastLifeEvent(userId, asking);
  return last !== undefined && !isAlive(last);
}

/** The last life events of a list of users; none for users without events. Raises what reading events raises. */
export async function lastLifeEvents(
  userIds: readonly string[],
  reading: LogReading,
): Promise<ReadonlyMap<string, ServiceEvent>> {
  if (userIds.length > LOOKED_UP) return lifeEventsOf(new Set(userIds), [], reading);
  const last = new Map<string, ServiceEvent>();
  for (const id of userIds) {
    const event = await withRetry(() => lastOwnLifeEvent(id, reading), reading.retry, reading.signal);
    if (event !== undefined) last.set(id, event);
  }
  return last.size === 0 ? last : withRemovals(last, await readOrgRemovals([], reading));
}
