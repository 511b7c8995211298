import type { ServiceEvent } from "../../contract/events.ts";
import { fieldsOf, textMember } from "../json/members.ts";
import { isLater } from "../rules/moment.ts";
import { ID_WORDS } from "../tables/id-table.ts";
import { createDigester, type Digest } from "./digest.ts";
import { isSavedMetadata, MetadataLog, type SavedMetadata } from "./metadata-log.ts";
import { changeOf, comparedEventTypes } from "./user-change.ts";
import { isCreation, lifeEvents, MACHINE_ADDED, ORG_REMOVED } from "./user-life.ts";
import { type Actor, isSavedUsers, type LoggedChange, type SavedUsers, UserLog } from "./user-log.ts";

/** The users of an instance and their metadata, by its events. */
export interface InstanceLog {
  readonly digest: (field: string, value: string) => Digest;
  readonly users: UserLog;
  readonly metadata: MetadataLog;
}

/** A log outside of memory; its digests can only be compared under the same key. */
export interface SavedLog {
  readonly users: SavedUsers;
  readonly metadata: SavedMetadata;
}

/** A log with digests under a key: empty, or as it was saved under the same key. */
export function createInstanceLog(key: string, saved?: SavedLog): InstanceLog {
  const digest = createDigester(key);
  return {
    digest,
    users: new UserLog(digest, saved?.users),
    metadata: new MetadataLog(digest, saved?.metadata),
  };
}

/** True for a log that `saveLog` may have given. Another one must not be used. */
export function isSavedLog({ users, metadata }: SavedLog): boolean {
  return isSavedUsers(users) && isSavedMetadata(metadata, users.ids.records.length / ID_WORDS);
}

/** A copy from which the same log can be created. */
export function saveLog({ users, metadata }: InstanceLog): SavedLog {
  return { users: users.save(), metadata: metadata.save() };
}

/** An initialization code of a user who has not finished registration. */
export const CODE_ADDED = "user.human.initialization.code.added";
const CODE_CHECKED = "user.human.initialization.check.succeeded";
export const METADATA_SET = "user.metadata.set";
export const METADATA_REMOVED = "user.metadata.removed";
export const ALL_METADATA_REMOVED = "user.metadata.removed.all";

/** An update does not depend on the messages that users got. */
const isMailed = (type: string): boolean => /\.code\.(added|sent)$/.test(type);

/** The events of a log: one search takes at most 30 types (service behaviour 0.19). */
export const loggedEventTypes: readonly string[] = [
  ...comparedEventTypes.filter((type) => !isMailed(type)),
  CODE_ADDED,
  METADATA_SET,
  METADATA_REMOVED,
  ALL_METADATA_REMOVED,
  MACHINE_ADDED,
  ORG_REMOVED,
];

/** The events that decide which metadata the users have. */
export const metadataEventTypes: readonly string[] = [
  ...lifeEvents,
  METADATA_SET,
  METADATA_REMOVED,
  ALL_METADATA_REMOVED,
  ORG_REMOVED,
];

/** The service user of this job, and the time at which the job began; RFC 3339, by the instance's clock. */
export interface Perspective {
  readonly self: string;
  readonly since: string;
}

/** A time after all events. */
export const NEVER = "9999-12-31T23:59:59Z";

/** Takes the next event into a log. */
export function applyEvent(log: InstanceLog, event: ServiceEvent, { self, since }: Perspective): void {
  const { aggregate, type, editor, creationDate, payload } = event;
  const { id, resourceOwner: orgId } = aggregate;
  if (type.type === ORG_REMOVED) log.users.removeOrg(id);
  else {
    const actor: Actor = { isOurs: editor?.userId === self, isSince: isLater(creationDate, since) };
    const isKnown = log.users.find(orgId, id) !== undefined;
    // The service writes a machine user onto a user of the same id (service behaviour 0.43).
    const isReplaced = isKnown && type.type === MACHINE_ADDED;
    const change = isReplaced ? "replaced" : changeOfEvent(type.type, payload);
    if (change !== undefined) log.users.apply(orgId, id, change, actor);
    const number = log.users.find(orgId, id)?.number;
    // A new user has no metadata of a former one.
    if (number !== undefined && (isKnown || !isCreation(event))) applyToMetadata(log.metadata, number, event, actor);
  }
}

function changeOfEvent(type: string, payload: unknown): LoggedChange | undefined {
  if (type === CODE_ADDED) return "initial";
  return type === CODE_CHECKED ? "initialized" : changeOf(type, payload);
}

function applyToMetadata(metadata: MetadataLog, number: number, event: ServiceEvent, actor: Actor): void {
  const {
    type: { type },
    payload,
  } = event;
  const fields = fieldsOf(payload);
  const key = textMember(fields, "key");
  if (type === METADATA_SET) metadata.set(number, key, textMember(fields, "value"), actor);
  else if (type === METADATA_REMOVED) metadata.remove(number, key, actor);
  // A user who is recreated has no metadata.
  else if (type === ALL_METADATA_REMOVED || isCreation(event)) metadata.clear(number);
}
