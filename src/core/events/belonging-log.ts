import type { ServiceEvent } from "../../contract/events.ts";
import { fieldsOf, textMember } from "../json/members.ts";
import { isLater } from "../rules/moment.ts";
import { isCreation, lifeEvents, USER_REMOVED } from "./user-life.ts";

/** The lists of what users have besides metadata, with the events of their elements. */
const LISTS = {
  userLinks: {
    added: "user.human.externalidp.added",
    changed: [],
    gone: ["user.human.externalidp.removed", "user.human.externalidp.cascade.removed"],
  },
  userGrants: {
    added: "user.grant.added",
    changed: ["user.grant.changed", "user.grant.cascade.changed", "user.grant.deactivated", "user.grant.reactivated"],
    gone: ["user.grant.removed", "user.grant.cascade.removed"],
  },
  orgMembers: {
    added: "org.member.added",
    changed: ["org.member.changed"],
    gone: ["org.member.removed", "org.member.cascade.removed"],
  },
  // After the cascades of these two, the service still refuses the member again (service behaviour 9.14).
  projectMembers: {
    added: "project.member.added",
    changed: ["project.member.changed"],
    gone: ["project.member.removed"],
  },
  projectGrantMembers: {
    added: "project.grant.member.added",
    changed: ["project.grant.member.changed"],
    gone: ["project.grant.member.removed"],
  },
} as const;

export type BelongingList = keyof typeof LISTS;

export const belongingLists = Object.keys(LISTS) as readonly BelongingList[]; // its own keys

/** What the service refuses to a recreated user who had it in a former life. Links are not among it. */
export const formerLists = belongingLists.filter((list) => list !== "userLinks");

const kinds = new Map(
  Object.entries(LISTS).flatMap(([list, { added, changed, gone }]) =>
    [added, ...changed, ...gone].map((type) => [type as string, list as BelongingList]),
  ),
);

/** The events that say what users have, and had in former lives. */
export const belongingEventTypes: readonly string[] = [...lifeEvents, ...kinds.keys()];

/** Something that a user had in a former life, and not in this one. */
export interface FormerBelonging {
  /** Of a role grant: its id. Of a member of a project grant: that of the project grant; "" for other memberships. */
  readonly grantId: string;
  /** The service refuses it to the recreated user. False: it was taken away, and may be given. */
  readonly isInWay: boolean;
  readonly life: Life;
}

/** The present life of a user: when, where and by whose account the user was created. */
export interface Life {
  readonly at: string;
  readonly by: string | undefined;
  readonly orgId: string;
}

/** The last that happened to something in the present life of a user. */
export interface PresentBelonging {
  readonly grantId: string;
  readonly isGone: boolean;
  /** Who added, changed or removed it last, and when. */
  readonly by: string | undefined;
  readonly at: string;
}

interface Moment {
  readonly at: string;
  readonly by: string | undefined;
}

/** The last time that a user got something. */
interface Added extends Moment {
  readonly userId: string;
  readonly grantId: string;
}

/**
 * Grants, memberships and links of users by the event log, which has also what no list shows: what deleted users left behind and the
 * service refuses to the recreated users as if it existed (service behaviour 9.14, 9.25), and what a list has lost (0.41).
 */
export class BelongingLog {
  readonly #added = new Map<string, Added>();
  readonly #changed = new Map<string, Moment>();
  readonly #gone = new Map<string, Moment>();
  readonly #created = new Map<string, Life>();
  readonly #removed = new Map<string, Moment>();
  readonly #wants: (userId: string) => boolean;

  /** @param wants the users that matter. */
  constructor(wants: (userId: string) => boolean) {
    this.#wants = wants;
  }

  /** Takes the next event; the order does not matter, and an event may come twice. */
  take(event: ServiceEvent): void {
    const { aggregate, payload, creationDate: at, editor } = event;
    const { type } = event.type;
    const moment = { at, by: editor?.userId };
    if (type === USER_REMOVED || isCreation(event)) {
      if (!this.#wants(aggregate.id)) return;
      if (type === USER_REMOVED) keepLatest(this.#removed, aggregate.id, moment);
      else keepLatest(this.#created, aggregate.id, { ...moment, orgId: aggregate.resourceOwner });
      return;
    }
    const list = kinds.get(type);
    if (list === undefined) return;
    const { added, changed } = LISTS[list];
    const others = (changed as readonly string[]).includes(type) ? this.#changed : this.#gone;
    // Only the first event of a grant names the user.
    if (list === "userGrants" && type !== added) {
      keepLatest(others, grantKey(aggregate.id), moment);
      return;
    }
    const entry = entryOf(list, aggregate.id, fieldsOf(payload));
    if (!this.#wants(entry.userId)) return;
    const key = keyOf(list, entry, aggregate.resourceOwner);
    const grantId = list === "userGrants" ? aggregate.id : entry.grantId;
    if (type === added) keepLatest(this.#added, key, { ...moment, userId: entry.userId, grantId });
    else keepLatest(others, key, moment);
  }

  /** This entry as the user had it in a former life; undefined: the user has it or never had it, or does not exist. */
  former(list: BelongingList, entry: unknown, orgId: string): FormerBelonging | undefined {
    const added = this.#added.get(keyOf(list, entry, orgId));
    if (added === undefined) return undefined;
    const { userId, grantId, at } = added;
    const removedAt = this.#removed.get(userId)?.at;
    const life = this.#created.get(userId);
    if (removedAt === undefined || life === undefined) return undefined;
    if (!isLater(life.at, removedAt) || isLater(at, removedAt)) return undefined;
    const goneAt = this.#since(this.#gone, list, entry, orgId, added);
    return { grantId, isInWay: goneAt === undefined, life };
  }

  /** This entry as the log has it in the user's present life; undefined: the user never got it in this life, or does not exist. */
  present(list: BelongingList, entry: unknown, orgId: string): PresentBelonging | undefined {
    const added = this.#added.get(keyOf(list, entry, orgId));
    if (added === undefined) return undefined;
    const { userId, grantId } = added;
    if (isLater(this.#removed.get(userId)?.at ?? "", added.at)) return undefined;
    const gone = this.#since(this.#gone, list, entry, orgId, added);
    const { at, by } = gone ?? this.#since(this.#changed, list, entry, orgId, added) ?? added;
    return { grantId, isGone: gone !== undefined, at, by };
  }

  /** The moment, if it is later than the addition. */
  #since(
    moments: ReadonlyMap<string, Moment>,
    list: BelongingList,
    entry: unknown,
    orgId: string,
    { at, grantId }: Added,
  ): Moment | undefined {
    const moment = moments.get(list === "userGrants" ? grantKey(grantId) : keyOf(list, entry, orgId));
    return moment !== undefined && isLater(moment.at, at) ? moment : undefined;
  }
}

const GRANTS = LISTS.userGrants;

/** The addition of a grant, which names the user, and the removals, which do not. */
export const GRANT_ADDED = GRANTS.added;
/** With the roles that a grant has from then on. */
export const grantChanges: readonly string[] = ["user.grant.changed", "user.grant.cascade.changed"];
/** The second one, if the project is deleted. */
export const grantRemovals: readonly string[] = GRANTS.gone;

/** A link is made, and removed, also with its user. */
export const LINK_ADDED = LISTS.userLinks.added;
export const linkRemovals: readonly string[] = LISTS.userLinks.gone;

const memberships = ["orgMembers", "projectMembers", "projectGrantMembers"] as const;

/** Memberships that are given, and that are removed; these events name the user. */
export const membershipAdditions: readonly string[] = memberships.map((list) => LISTS[list].added);
export const membershipRemovals: readonly string[] = memberships.map((list) => LISTS[list].gone[0]);

/** The user, and the key of the grant or membership, that an event names. */
export function rightIn({ aggregate: { id, resourceOwner }, type, payload }: ServiceEvent): {
  readonly userId: string;
  readonly key: string;
} {
  const list = kinds.get(type.type) as BelongingList; // an event of these lists
  const entry = entryOf(list, id, fieldsOf(payload));
  return { userId: entry.userId, key: keyOf(list, entry, resourceOwner) };
}

/** The members of an entry of an import, by an event. */
function entryOf(list: BelongingList, aggregateId: string, payload: Readonly<Record<string, unknown>>) {
  const text = (name: string): string => textMember(payload, name);
  const grantId = text("grantId");
  if (list === "userLinks")
    return { userId: aggregateId, idpId: text("idpConfigId"), providedUserId: text("userId"), projectId: "", grantId };
  return { userId: text("userId"), projectId: list === "userGrants" ? text("projectId") : aggregateId, grantId };
}

/**
 * The key of an element of a list; `orgId` is that of its organization. Several organizations may give a user roles in one project that is
 * granted to them; members of a project are the same in all of them.
 */
export function keyOf(list: BelongingList, entry: unknown, orgId: string): string {
  const fields = fieldsOf(entry);
  const places = {
    userLinks: ["idpId", "providedUserId"],
    userGrants: ["projectId"],
    orgMembers: [],
    projectMembers: ["projectId"],
    projectGrantMembers: ["projectId", "grantId"],
  }[list].map((name) => textMember(fields, name));
  return JSON.stringify([
    list,
    list === "orgMembers" || list === "userGrants" ? orgId : "",
    ...places,
    textMember(fields, "userId"),
  ]);
}

function grantKey(id: string): string {
  return `userGrants ${id}`;
}

function keepLatest<M extends Moment>(moments: Map<string, M>, key: string, moment: M): void {
  const before = moments.get(key);
  if (before === undefined || isLater(moment.at, before.at)) moments.set(key, moment);
}
