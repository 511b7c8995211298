import { definedOnly, type JsonObject, type JsonValue } from "../http/json.ts";
import { idFrom } from "../state/generated-id.ts";
import type { NewEvent } from "../state/store.ts";

/** The type, the aggregate and the payload of an event. */
export type ObjectEvent = Pick<NewEvent, "type" | "aggregateType" | "aggregateId"> & { readonly payload: JsonObject };

/** Without the members of the payload that are undefined. */
export function objectEvent(
  type: string,
  aggregateType: string,
  aggregateId: unknown,
  payload: Readonly<Record<string, JsonValue | undefined>>,
): ObjectEvent {
  return { type, aggregateType, aggregateId: String(aggregateId), payload: definedOnly(payload) };
}

/** The event that gives a user a role grant or a membership, by the list of the document. */
export const belongingEvents: Readonly<Record<string, (entry: JsonObject, orgId: string) => ObjectEvent>> = {
  userGrants(entry) {
    const { userId, projectId, projectGrantId: grantId, roleKeys } = entry;
    // The service generates the ids of grants; here each grant keeps its own.
    const id = idFrom(JSON.stringify(entry));
    return objectEvent("user.grant.added", "usergrant", id, { userId, projectId, grantId, roleKeys });
  },
  orgMembers: ({ userId, roles }, orgId) => objectEvent("org.member.added", "org", orgId, { userId, roles }),
  projectMembers: ({ projectId, userId, roles }) =>
    objectEvent("project.member.added", "project", projectId, { userId, roles }),
  projectGrantMembers: ({ projectId, grantId, userId, roles }) =>
    objectEvent("project.grant.member.added", "project", projectId, { userId, grantId, roles }),
};
