import type { ServiceEvent } from "../../contract/events.ts";
import { fieldsOf, textMember } from "../json/members.ts";
import { isLater } from "../rules/moment.ts";
import { isCreation, lifeEvents, USER_REMOVED } from "./user-life.ts";

/** The lists of grants and memberships, with the events of their elements. */
const LISTS = {
  userGrants: ["user.grant.added", "user.grant.removed", "user.grant.cascade.removed"],
  orgMembers: ["org.member.added", "org.member.removed", "org.member.cascade.removed"],
  // After these cascades, the service still refuses the member again (service behaviour 9.14).
  projectMembers: ["project.member.added", "project.member.removed"],
  projectGrantMembers: ["project.grant.member.added", "project.grant.member.removed"],
} as const;

export type BelongingList = keyof typeof LISTS;

export const belongingLists = Object.keys(LISTS) as readonly BelongingList[]; // its own keys

const listOf = new Map(
  Object.entries(LISTS).flatMap(([list, types]) => types.map((type) => [type as string, list as BelongingList])),
);

/** The events that say what deleted users left behind. */
export const belongingEventTypes: readonly string[] = [...lifeEvents, ...listOf.keys()];

/** Something that a user had in a former life, and not in this one. */
export interface FormerBelonging {
  /** Of a role grant: its id. Of a member of a project grant: that of the project grant; "" for other memberships. */
  readonly grantId: string;
  /** The service refuses it to the recreated user. False: it was taken away, and may be given. */
  readonly isInWay: boolean;
}

/** The last time that a user got something. */
interface Held {
  readonly userId: string;
  readonly grantId: string;
  readonly addedAt: string;
}

/**
 * Grants and memberships that deleted users left behind, by the event log: the service refuses them to the recreated users as if they
 * existed, and no list has them (service behaviour 9.14, 9.25).
 */
export class FormerBelongings {
  readonly #held = new Map<string, Held>();
  readonly #goneAt = new Map<string, string>();
  readonly #createdAt = new Map<string, string>();
  readonly #removedAt = new Map<string, string>();
  readonly #wants: (userId: string) => boolean;

  /** @param wants the users that matter. */
  constructor(wants: (userId: string) => boolean) {
    this.#wants = wants;
  }

  /** Takes the next event; the order does not matter. */
  take(event: ServiceEvent): void {
    const { aggregate, payload, creationDate } = event;
    const { type } = event.type;
    if (type === USER_REMOVED || isCreation(event)) {
      const times = type === USER_REMOVED ? this.#removedAt : this.#createdAt;
      if (this.#wants(aggregate.id)) keepLatest(times, aggregate.id, creationDate);
      return;
    }
    const list = listOf.get(type);
    if (list === undefined) return;
    const fields = fieldsOf(payload);
    // Only the first event of a grant names the user.
    if (list === "userGrants" && type !== LISTS.userGrants[0]) {
      keepLatest(this.#goneAt, `${list} ${aggregate.id}`, creationDate);
      return;
    }
    const userId = textMember(fields, "userId");
    if (!this.#wants(userId)) return;
    const grantId = textMember(fields, "grantId");
    const projectId = list === "userGrants" ? textMember(fields, "projectId") : aggregate.id;
    const key = keyOf(list, { userId, grantId, projectId }, aggregate.id);
    if (!type.endsWith(".added")) {
      keepLatest(this.#goneAt, key, creationDate);
      return;
    }
    const before = this.#held.get(key);
    if (before !== undefined && isLater(before.addedAt, creationDate)) return;
    this.#held.set(key, {
      userId,
      grantId: list === "userGrants" ? aggregate.id : grantId,
      addedAt: creationDate,
    });
  }

  /** This entry as the user had it in a former life; undefined: the user has it or never had it, or does not exist. */
  find(list: BelongingList, entry: unknown, orgId: string): FormerBelonging | undefined {
    const key = keyOf(list, entry, orgId);
    const held = this.#held.get(key);
    if (held === undefined) return undefined;
    const { userId, grantId, addedAt } = held;
    const removedAt = this.#removedAt.get(userId);
    const isAlive = removedAt !== undefined && isLater(this.#createdAt.get(userId) ?? "", removedAt);
    if (!isAlive || isLater(addedAt, removedAt)) return undefined;
    const goneAt = this.#goneAt.get(list === "userGrants" ? `${list} ${grantId}` : key);
    return { grantId, isInWay: goneAt === undefined || isLater(addedAt, goneAt) };
  }
}

function keyOf(list: BelongingList, entry: unknown, orgId: string): string {
  const fields = fieldsOf(entry);
  const [projectId, grantId] = [textMember(fields, "projectId"), textMember(fields, "grantId")];
  const places = {
    userGrants: [projectId],
    orgMembers: [orgId],
    projectMembers: [projectId],
    projectGrantMembers: [projectId, grantId],
  };
  return JSON.stringify([list, ...places[list], textMember(fields, "userId")]);
}

function keepLatest(times: Map<string, string>, key: string, time: string): void {
  const before = times.get(key);
  if (before === undefined || isLater(time, before)) times.set(key, time);
}
