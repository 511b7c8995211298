import { fieldsOf, member, textMember } from "../../json/members.ts";
import type { FoldedEvent } from "./user-fold.ts";

/** A role grant of a user. */
export interface RebuiltGrant {
  readonly userId: string;
  readonly projectId: string;
  /** "" for a grant of the project itself. */
  readonly projectGrantId: string;
  readonly roleKeys: readonly string[];
}

/** The types of the events that rebuild grants. */
export const grantEventTypes = [
  "user.grant.added",
  "user.grant.changed",
  "user.grant.cascade.changed",
  "user.grant.removed",
  "user.grant.cascade.removed",
] as const;

/** The grant that these events of one id leave, in any order; undefined if it was removed. An inactive grant is exported too. */
export function foldGrant(events: readonly FoldedEvent[]): RebuiltGrant | undefined {
  let grant: RebuiltGrant | undefined;
  for (const { type, payload } of [...events].sort((a, b) => a.sequence - b.sequence)) {
    const fields = fieldsOf(payload);
    const roleKeys = rolesOf(member(fields, "roleKeys"));
    if (type === "user.grant.added") {
      const [userId, projectId] = [textMember(fields, "userId"), textMember(fields, "projectId")];
      grant = { userId, projectId, projectGrantId: textMember(fields, "grantId"), roleKeys };
    } else if (type.endsWith(".changed")) grant = grant === undefined ? undefined : { ...grant, roleKeys };
    else if (type.endsWith(".removed")) grant = undefined;
  }
  return grant;
}

/** The entry of userGrants. */
export function grantEntry({ userId, projectId, projectGrantId, roleKeys }: RebuiltGrant): object {
  return {
    userId,
    projectId,
    ...(projectGrantId === "" ? {} : { projectGrantId }),
    ...(roleKeys.length === 0 ? {} : { roleKeys }),
  };
}

function rolesOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
