import { listEvents } from "../../../admin/events.ts";
import { withRetry } from "../../../admin/with-retry.ts";
import type { ServiceEvent } from "../../../contract/events.ts";
import type { BodyScan } from "../../../core/document/scan-types.ts";
import { lifeEvents, ORG_REMOVED, OrgRemovals } from "../../../core/events/user-life.ts";
import { fieldsOf, textMember } from "../../../core/json/members.ts";
import { IdTable } from "../../../core/tables/id-table.ts";
import { UserDirectory } from "../../../core/transfer/user-directory.ts";
import type { Asking } from "../../shared/asking.ts";
import { askTwice, ifOffered, mayBeAnsweredLater } from "../../shared/not-offered.ts";
import { readLog } from "../../shared/read-log.ts";
import { readSelf } from "../../shared/user-life.ts";

/** An organization that the target has, or had. */
export interface TargetOrg {
  readonly id: string;
  name: string;
  isRemoved: boolean;
  /** Created by the setup of the instance. */
  readonly isBuiltIn: boolean;
  readonly createdAt: string;
}

/** What the target's events say before anything is sent. */
export interface TargetState {
  readonly orgs: ReadonlyMap<string, TargetOrg>;
  /** The organization that a user was last removed from; undefined for other users, and if no user was removed. */
  readonly removedFrom: ((userId: string) => string | undefined) | undefined;
  /** One of the input's organizations, with which a user was removed and not recreated; undefined for other users. */
  readonly removedWith: (userId: string) => string | undefined;
  /** The last removals of organizations. */
  readonly orgRemovals: OrgRemovals;
  /** True for the id of a user that was at some time added as a machine user, in any organization. */
  readonly isMachine: (userId: string) => boolean;
  /** What the setup of the instance created, and the service user of the token beside it, by name in small letters. */
  readonly builtIn: BuiltIn;
}

export interface BuiltIn {
  readonly users: ReadonlyMap<string, string>;
  readonly projects: ReadonlyMap<string, string>;
}

const ORG_EVENTS = ["org.added", "org.changed", "org.removed"];
const OWN_NAMES = ["user.machine.added", "user.username.changed"];
const SETUP_EVENTS = ["user.human.added", "user.machine.added", "project.added"];

/**
 * Reads the events that decide about whole organizations and removed users; undefined if the target does not offer its events, which an
 * import can do without. Raises net.*, auth.refused, and what may be answered later.
 */
export async function readTargetState(scan: Pick<BodyScan, "orgs">, asking: Asking): Promise<TargetState | undefined> {
  return askTwice((isLast) => ifOffered(() => readOnce(scan, asking), isLast ? mayBeAnsweredLater : undefined));
}

async function readOnce({ orgs }: Pick<BodyScan, "orgs">, { api, retry, signal }: Asking): Promise<TargetState> {
  const found = new Map<string, TargetOrg>();
  const orgRemovals = new OrgRemovals();
  for await (const event of listEvents(api, { eventTypes: ORG_EVENTS }, retry, signal)) {
    const { id } = event.aggregate;
    orgRemovals.take(event);
    const name = textMember(fieldsOf(event.payload), "name");
    const org = found.get(id);
    if (event.type.type === "org.added") {
      const { creationDate: createdAt, editor } = event;
      found.set(id, { id, name, isRemoved: false, isBuiltIn: isBySetup(editor), createdAt });
    } else if (org !== undefined && event.type.type === "org.removed") org.isRemoved = true;
    else if (org !== undefined && name !== "") org.name = name;
  }
  const removedFrom = await readRemovedUsers({ api, retry, signal });
  const named = orgs.flatMap(({ orgId, sourceId = orgId }) => [orgId, sourceId]);
  const removedWith = await readRemovedWith(
    named.filter((orgId) => orgRemovals.has(orgId)),
    { api, retry, signal },
  );
  const machines = new IdTable();
  for await (const { aggregate } of listEvents(api, { eventTypes: ["user.machine.added"] }, retry, signal))
    machines.set(aggregate.id, 0);
  const own = orgs.map(({ orgId }) => found.get(orgId)).find((org) => org?.isBuiltIn === true);
  const builtIn = own === undefined ? NOTHING : await readBuiltIn(own, { api, retry, signal });
  const isMachine = (userId: string): boolean => machines.get(userId) !== undefined;
  return { orgs: found, removedFrom, removedWith, orgRemovals, isMachine, builtIn };
}

const NOTHING: BuiltIn = { users: new Map(), projects: new Map() };

async function readRemovedUsers({ api, retry, signal }: Asking): Promise<TargetState["removedFrom"]> {
  const ids = new IdTable();
  const orgIds: string[] = [];
  const numbers = new Map<string, number>();
  for await (const { aggregate } of listEvents(api, { eventTypes: ["user.removed"] }, retry, signal)) {
    const { id, resourceOwner } = aggregate;
    const at = numbers.get(resourceOwner) ?? orgIds.push(resourceOwner) - 1;
    numbers.set(resourceOwner, at);
    ids.set(id, at);
  }
  if (orgIds.length === 0) return undefined;
  return (userId) => {
    const at = ids.get(userId);
    return at === undefined ? undefined : orgIds[at];
  };
}

/** The users of these organizations who were removed with them. */
async function readRemovedWith(orgIds: readonly string[], asking: Asking): Promise<TargetState["removedWith"]> {
  const directory = new UserDirectory();
  const eventTypes = [...lifeEvents, ORG_REMOVED];
  if (orgIds.length > 0) await readLog("", { eventTypes, orgIds }, asking, (event) => directory.take(event));
  return (userId) => directory.removedWith(userId);
}

/** The setup of an instance has no editor. */
function isBySetup(editor: ServiceEvent["editor"]): boolean {
  return (editor?.userId ?? "") === "";
}

/** What the setup created at the same time as the organization of the instance. */
async function readBuiltIn({ id, createdAt }: TargetOrg, { api, retry, signal }: Asking): Promise<BuiltIn> {
  const at = Date.parse(createdAt);
  const range = { since: new Date(at - 1).toISOString(), until: new Date(at + 1).toISOString() };
  const request = { asc: true, limit: 1_000, resource_owner: id, event_types: SETUP_EVENTS, range };
  const { events } = await withRetry(() => api.searchEvents(request, signal), retry, signal);
  const users = new Map<string, string>();
  const projects = new Map<string, string>();
  for (const { aggregate, editor, type, payload } of events) {
    if (!isBySetup(editor)) continue;
    const fields = fieldsOf(payload);
    if (type.type === "project.added") projects.set(textMember(fields, "name").toLowerCase(), aggregate.id);
    else users.set(textMember(fields, "userName").toLowerCase(), aggregate.id);
  }
  // Every setup creates the project of the instance's APIs. Without it, the missing editors come from a service that names no editors.
  if (projects.size === 0) return NOTHING;
  const own = await readOwnAccount(id, { api, retry, signal });
  if (own !== undefined) users.set(own.name, own.id);
  return { users, projects };
}

/** The service user of the token, if it is in this organization: of two instances, each has its own, often of one name. */
async function readOwnAccount(
  orgId: string,
  asking: Asking,
): Promise<{ readonly id: string; readonly name: string } | undefined> {
  const { api, retry, signal } = asking;
  const id = await readSelf(asking);
  if (id === undefined) return undefined;
  const request = { asc: true, limit: 1_000, aggregate_id: id, event_types: OWN_NAMES };
  const { events } = await withRetry(() => api.searchEvents(request, signal), retry, signal);
  const names = events.map(({ payload }) => textMember(fieldsOf(payload), "userName").toLowerCase());
  const name = names.findLast((one) => one !== "");
  return name === undefined || events[0]?.aggregate.resourceOwner !== orgId ? undefined : { id, name };
}
