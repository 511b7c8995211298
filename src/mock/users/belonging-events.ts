import { createHash } from "node:crypto";
import { definedOnly, type JsonObject, textAt } from "../http/json.ts";
import type { NewEvent } from "../state/store.ts";

/** The type, the aggregate and the payload of an event. */
export type ObjectEvent = Pick<NewEvent, "type" | "aggregateType" | "aggregateId"> & { readonly payload: JsonObject };

/** The event that gives a user a role grant or a membership, by the list of the document. */
export const belongingEvents: Readonly<Record<string, (entry: JsonObject, orgId: string) => ObjectEvent>> = {
  userGrants: (entry) => ({
    type: "user.grant.added",
    aggregateType: "usergrant",
    aggregateId: idOf(entry),
    payload: {
      userId: textAt(entry, "userId"),
      projectId: textAt(entry, "projectId"),
      ...(textAt(entry, "projectGrantId") === "" ? {} : { grantId: textAt(entry, "projectGrantId") }),
      ...definedOnly({ roleKeys: entry["roleKeys"] }),
    },
  }),
  orgMembers: ({ userId, roles }, orgId) => ({
    type: "org.member.added",
    aggregateType: "org",
    aggregateId: orgId,
    payload: definedOnly({ userId, roles }),
  }),
  projectMembers: ({ projectId, userId, roles }) => ({
    type: "project.member.added",
    aggregateType: "project",
    aggregateId: String(projectId),
    payload: definedOnly({ userId, roles }),
  }),
  projectGrantMembers: ({ projectId, grantId, userId, roles }) => ({
    type: "project.grant.member.added",
    aggregateType: "project",
    aggregateId: String(projectId),
    payload: definedOnly({ userId, grantId, roles }),
  }),
};

/** The service generates the ids of grants; here each grant keeps its own. */
function idOf(entry: JsonObject): string {
  return `4${createHash("sha256").update(JSON.stringify(entry)).digest().readBigUInt64BE() % 10n ** 17n}`;
}
