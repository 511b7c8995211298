import type { ServiceEvent } from "../../contract/events.ts";
import { viewOfEntry } from "../compare/user-view.ts";
import type { UserView } from "../compared-fields.ts";
import { fieldsOf, textMember } from "../json/members.ts";
import { isLater } from "../rules/moment.ts";
import { METADATA_REMOVED, METADATA_SET } from "./instance-log.ts";
import { changeOf } from "./user-change.ts";
import { isCreation, USER_REMOVED } from "./user-life.ts";

/** What a creation by a job leaves in the log. Any other event means that the user was used or changed since. */
const CREATION_EVENTS: ReadonlySet<string> = new Set([
  "user.human.added",
  "user.human.email.verified",
  "user.human.phone.verified",
  "user.human.initialization.code.added",
  "user.human.email.code.added",
  "user.human.phone.code.added",
  "user.human.passwordless.initialization.code.added",
  "user.human.passwordless.initialization.code.requested",
  "user.human.externalidp.added",
  "user.human.mfa.recoverycode.added",
  "user.locked",
  "user.deactivated",
  METADATA_SET,
  METADATA_REMOVED,
]);
const HUMAN_ADDED = "user.human.added";
const LINK_ADDED = "user.human.externalidp.added";
/** The service sends a code by itself. */
const isSent = (type: string): boolean => type.endsWith(".code.sent") || type.endsWith(".code.failed");

/** What the input says about a user, and whose job it is. */
export interface OwnUser {
  readonly orgId: string;
  /** What the input gives of the user. */
  readonly view: UserView;
  /** The metadata that the input gives; values in base64. */
  readonly metadata: readonly { readonly key: string; readonly value: string }[];
  /** How many identity links the input has. */
  readonly links: number;
  /** The service user of the job. */
  readonly self: string;
  /** The time of the target's newest event before the job. */
  readonly mark: string;
}

/**
 * True if the log proves that the job created a user and that nothing has happened since: the whole history is there, without a gap; its
 * last life begins with one creation by the job's service user, later than the mark, in the right organization; it has no other events
 * than those of the creation, which the input explains; and it is what the input says. `history`: all events of the user, oldest first.
 */
export function isOwnCreation(history: readonly ServiceEvent[], user: OwnUser): boolean {
  const { orgId, self, mark, view } = user;
  if (self === "" || !isWhole(history)) return false;
  const life = history.slice(history.findLastIndex(({ type }) => type.type === USER_REMOVED) + 1);
  const [first] = life;
  if (first?.type.type !== HUMAN_ADDED || life.filter(isCreation).length !== 1) return false;
  const values: Record<string, string> = {};
  const removedKeys = new Set<string>();
  let links = 0;
  for (const { type, editor, aggregate, creationDate, payload } of life) {
    if (aggregate.resourceOwner !== orgId || !isLater(creationDate, mark)) return false;
    if (isSent(type.type)) continue;
    if (editor?.userId !== self || !CREATION_EVENTS.has(type.type)) return false;
    const [key, value] = ["key", "value"].map((name) => textMember(fieldsOf(payload), name)) as [string, string];
    if (type.type === METADATA_REMOVED) removedKeys.add(key); // and set again: it was stale
    if (type.type === METADATA_SET) {
      if (!user.metadata.some((given) => given.key === key && given.value === value)) return false;
      removedKeys.delete(key);
    }
    if (type.type === LINK_ADDED) links += 1;
    const change = changeOf(type.type, payload);
    // Another program of the same service user may have locked the user.
    if (change?.kind === "changed" && (change.view.state ?? view.state) !== view.state) return false;
    if (change?.kind === "added" || change?.kind === "changed") Object.assign(values, change.view);
  }
  if (links > user.links || removedKeys.size > 0) return false;
  return Object.entries(view).every(([field, value]) => values[field] === value);
}

/** The sequence counts the events of one user from 1 (service behaviour 9.16): a gap is an event that was not read. */
function isWhole(history: readonly ServiceEvent[]): boolean {
  return history.length > 0 && history.every(({ sequence }, index) => sequence === String(index + 1));
}

/** Fields that the service keeps as they were sent: those by which two users with one id differ. */
const KEPT = ["userName", "email", "firstName", "lastName", "hash"] as const;

/**
 * True unless the event that created a user has another content than the user of the input: another job with the same service user created
 * it. An empty value, and one that the event does not have, is no difference; neither are capitals and blanks.
 */
export function isCreationOf({ type, payload }: ServiceEvent, bytes: Buffer): boolean {
  const change = changeOf(type.type, payload);
  if (change?.kind !== "added") return true; // no human user
  const sent = viewOfEntry(JSON.parse(bytes.toString()));
  const plain = (text = ""): string => text.trim().toLowerCase();
  return KEPT.every((field) => {
    const [ours, theirs] = [plain(sent[field]), plain(change.view[field])];
    return ours === "" || theirs === "" || ours === theirs;
  });
}

/** The state of a user whose deletion was announced after the event with the number `before`. */
export type HealingState = "untouched" | "deleted" | "recreated" | "foreign";

/**
 * Decides by the life events of a user, oldest first, what a healing that was interrupted had done. @param accounts of the run that began
 * it, and of the run that completes it.
 */
export function healingState(
  life: readonly ServiceEvent[],
  before: number,
  accounts: ReadonlySet<string>,
): HealingState {
  const since = life.filter(({ sequence }) => Number(sequence) > before);
  const [removed, added, ...others] = since;
  if (removed === undefined) return life.length === 0 ? "foreign" : "untouched";
  const isOurs = ({ editor }: ServiceEvent): boolean =>
    (editor?.userId ?? "") !== "" && accounts.has(editor?.userId ?? "");
  if (removed.type.type !== USER_REMOVED || !isOurs(removed)) return "foreign";
  if (added === undefined) return "deleted";
  return isCreation(added) && isOurs(added) && others.length === 0 ? "recreated" : "foreign";
}
