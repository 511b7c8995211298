import type { UserLog } from "../events/user-log.ts";

/** `keep`: they stay, and are named. With `keep` and `deactivate`, nothing is to do for inactive users, and they are not named. */
export type HowToRemove = "delete" | "deactivate" | "keep";

/** The plan for users that the source has removed, by organization. */
export interface RemovalPlan {
  readonly how: HowToRemove;
  readonly orgs: readonly OrgRemovals[];
  /** In some organization more users would be removed than the limit allows: no user is removed in any. */
  readonly isTooMany: boolean;
}

export interface OrgRemovals {
  readonly orgId: string;
  readonly userIds: readonly string[];
  /** Removed by this job already, before it was interrupted. */
  readonly removed: readonly string[];
  /** Not created by a copy: left. */
  readonly notOurs: readonly string[];
  /** Created for another person than the one that the source has removed: left. */
  readonly otherPerson: readonly string[];
  /** Left because the input lacks users of the organization: any of these may be one that it lacks. */
  readonly incomplete: readonly string[];
  /** Never removed: users with a role on the instance, and service users of this job. */
  readonly protected: readonly string[];
  readonly limit: number;
}

export interface RemovalOptions {
  readonly how: HowToRemove;
  /** The limit per organization; undefined: one in a hundred, and at least ten. */
  readonly most: number | undefined;
  /** True for an organization if the input lacks users of it. */
  isIncomplete(orgId: string): boolean;
  readonly protectedUsers: ReadonlySet<string>;
  /** True for a user who is another person than the one with this id that the source has removed. */
  isOther(userId: string): boolean;
}

const LEAST_LIMIT = 10;
const PART = 0.01;

/**
 * Decides which users to remove on the target: users that the source has removed, that do not exist there (`exists`), that a copy created
 * and that the target has. `removed` holds the ids by the organization on the target.
 */
export function planRemovals(
  removed: ReadonlyMap<string, ReadonlySet<string>>,
  exists: (orgId: string, userId: string) => boolean,
  users: UserLog,
  { how, most, isIncomplete, protectedUsers, isOther }: RemovalOptions,
): RemovalPlan {
  const orgs = [...removed].map(([orgId, ids]): OrgRemovals => {
    const found = {
      userIds: [] as string[],
      removed: [] as string[],
      notOurs: [] as string[],
      otherPerson: [] as string[],
      incomplete: [] as string[],
      protected: [] as string[],
    };
    const toGo = isIncomplete(orgId) ? found.incomplete : found.userIds;
    for (const id of ids) {
      const user = exists(orgId, id) ? undefined : users.find(orgId, id);
      if (user === undefined) continue;
      if (!user.isThere) {
        if (user.isRemovedByJob) found.removed.push(id);
      } else if (protectedUsers.has(id)) found.protected.push(id);
      else if (how !== "delete" && user.state === "inactive") {
        if (user.touched.includes("state")) found.removed.push(id);
      } else if (!user.isOurs) found.notOurs.push(id);
      else if (isOther(id)) found.otherPerson.push(id);
      else toGo.push(id);
    }
    const all = users.usersOf(orgId) + found.removed.length;
    return { orgId, ...found, limit: most ?? Math.max(LEAST_LIMIT, Math.floor(all * PART)) };
  });
  const isTooMany = orgs.some(({ userIds, removed: done, limit }) => userIds.length + done.length > limit);
  return { how, orgs, isTooMany };
}
