import type { ServiceEvent } from "../../contract/events.ts";
import { fieldsOf, textMember } from "../json/members.ts";
import { isLater } from "../rules/moment.ts";
import { createDigester, type Digest } from "./digest.ts";
import { MetadataLog, type SavedMetadata } from "./metadata-log.ts";
import { changeOf, comparedEventTypes } from "./user-change.ts";
import { type Actor, type LoggedChange, type SavedUsers, UserLog } from "./user-log.ts";

/** What an instance's events say of its users and their metadata. */
export interface InstanceLog {
  readonly digest: (field: string, value: string) => Digest;
  readonly users: UserLog;
  readonly metadata: MetadataLog;
}

/** A log outside of memory; its digests are good for nothing without the key. */
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

/** What the same log can be made from again. */
export function saveLog({ users, metadata }: InstanceLog): SavedLog {
  return { users: users.save(), metadata: metadata.save() };
}

const CODE_ADDED = "user.human.initialization.code.added";
const CODE_CHECKED = "user.human.initialization.check.succeeded";
const METADATA_SET = "user.metadata.set";
const METADATA_REMOVED = "user.metadata.removed";
const ALL_METADATA_REMOVED = "user.metadata.removed.all";
const ORG_REMOVED = "org.removed";

/** What says that somebody was sent a code decides nothing here. */
const isMailed = (type: string): boolean => /\.code\.(added|sent)$/.test(type);

/** The events that a log is made of: at most 30 types may be asked for at once (service behaviour 0.19). */
export const loggedEventTypes: readonly string[] = [
  ...comparedEventTypes.filter((type) => !isMailed(type)),
  CODE_ADDED,
  CODE_CHECKED,
  METADATA_SET,
  METADATA_REMOVED,
  ALL_METADATA_REMOVED,
  ORG_REMOVED,
];

/** Whose events are this job's own, and since when; RFC 3339, by the instance's clock. */
export interface Perspective {
  readonly self: string;
  readonly since: string;
}

/** Takes the next event into a log. */
export function applyEvent(log: InstanceLog, event: ServiceEvent, { self, since }: Perspective): void {
  const { aggregate, type, editor, creationDate, payload } = event;
  const { id, resourceOwner: orgId } = aggregate;
  if (type.type === ORG_REMOVED) log.users.removeOrg(id);
  else {
    const actor: Actor = { isOurs: editor?.userId === self, isSince: isLater(creationDate, since) };
    const change = changeOfEvent(type.type, payload);
    const isKnown = log.users.find(orgId, id) !== undefined;
    if (change !== undefined) log.users.apply(orgId, id, change, actor);
    const number = log.users.find(orgId, id)?.number;
    // Somebody new has none that could be left over.
    if (number !== undefined && (isKnown || !ADDED.test(type.type)))
      applyToMetadata(log.metadata, number, event, actor);
  }
}

function changeOfEvent(type: string, payload: unknown): LoggedChange | undefined {
  if (type === CODE_ADDED) return "initial";
  return type === CODE_CHECKED ? "initialized" : changeOf(type, payload);
}

function applyToMetadata(
  metadata: MetadataLog,
  number: number,
  { type: { type }, payload }: ServiceEvent,
  { isOurs }: Actor,
): void {
  const fields = fieldsOf(payload);
  const key = textMember(fields, "key");
  if (type === METADATA_SET) metadata.set(number, key, textMember(fields, "value"), isOurs);
  else if (type === METADATA_REMOVED) metadata.remove(number, key, isOurs);
  // Whoever comes back has none.
  else if (type === ALL_METADATA_REMOVED || ADDED.test(type)) metadata.clear(number);
}

const ADDED = /^user\.(human\.)?(added|selfregistered)$/;
