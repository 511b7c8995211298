import type { ServiceEvent } from "../../contract/events.ts";
import { fieldsOf, textMember } from "../json/members.ts";

/** An object that is deactivated, which no export says (service behaviour 9.37). */
export interface InactiveObject {
  readonly type: "user_grant" | "project" | "application";
  readonly id: string;
  readonly orgId: string;
  /** Of a role grant. */
  readonly userId?: string;
  /** Of a role grant and an application. */
  readonly projectId?: string;
  /** Of a role grant in a project of another organization. */
  readonly projectGrantId?: string;
}

const GRANT = "user.grant.";
const APPLICATION = "project.application.";
export const GRANT_ADDED = "user.grant.added";
/** The last of these of an object says whether it is inactive. */
export const inactiveEventTypes: readonly string[] = [
  ...["deactivated", "reactivated", "removed", "cascade.removed"].map((change) => GRANT + change),
  ...["project.", APPLICATION].flatMap((kind) => ["deactivated", "reactivated", "removed"].map((name) => kind + name)),
];

/** The objects that are inactive after all events that were taken in order. */
export class InactiveObjects {
  readonly #found = new Map<string, InactiveObject>();
  readonly #removedProjects = new Set<string>();

  take({ type: { type }, aggregate: { id: aggregateId, resourceOwner: orgId }, payload }: ServiceEvent): void {
    const fields = fieldsOf(payload);
    const appId = type.startsWith(APPLICATION) ? textMember(fields, "appId") : "";
    const key = `${aggregateId} ${appId}`;
    if (type === "project.removed") this.#removedProjects.add(aggregateId);
    if (!type.endsWith(".deactivated")) this.#found.delete(key);
    else if (appId !== "") this.#found.set(key, { type: "application", id: appId, orgId, projectId: aggregateId });
    else this.#found.set(key, { type: type.startsWith(GRANT) ? "user_grant" : "project", id: aggregateId, orgId });
  }

  /** Role grants without a user: `describe` takes their first events. */
  get openGrants(): readonly string[] {
    return [...this.#found.values()].flatMap(({ type, id, userId }) =>
      type === "user_grant" && userId === undefined ? [id] : [],
    );
  }

  /** Takes who has a grant, and in which project. */
  describe({ type: { type }, aggregate: { id }, payload }: ServiceEvent): void {
    const grant = this.#found.get(`${id} `);
    if (type !== GRANT_ADDED || grant?.type !== "user_grant") return;
    const fields = fieldsOf(payload);
    const [userId, projectId, projectGrantId] = [
      textMember(fields, "userId"),
      textMember(fields, "projectId"),
      textMember(fields, "grantId"),
    ];
    const granted = projectGrantId === "" ? {} : { projectGrantId };
    this.#found.set(`${id} `, { ...grant, userId, projectId, ...granted });
  }

  /** Role grants first. Those of a removed project are gone with it, on 2.62 without an event of their own. */
  get all(): readonly InactiveObject[] {
    const here = [...this.#found.values()].filter(({ projectId = "" }) => !this.#removedProjects.has(projectId));
    return ORDER.flatMap((type) => here.filter((one) => one.type === type));
  }
}

const ORDER = ["user_grant", "project", "application"] as const;

/** What an object and its copy on another instance have in common: a role grant has another id there. */
export function inactiveKey({ type, id, userId = "", projectId = "" }: InactiveObject): string {
  return type === "user_grant" ? `${type} ${projectId}_${userId}` : `${type} ${id}`;
}

/** Finds entries of `userGrants` that are inactive: an export has no id of a grant. */
export function isInactiveGrant(inactive: readonly InactiveObject[]): (entry: Buffer) => boolean {
  const keyOf = (userId = "", projectId = "", projectGrantId = ""): string =>
    JSON.stringify([userId, projectId, projectGrantId]);
  const keys = new Set(
    inactive.flatMap(({ type, userId, projectId, projectGrantId }) =>
      type === "user_grant" ? [keyOf(userId, projectId, projectGrantId)] : [],
    ),
  );
  return (entry) => {
    const fields = fieldsOf(JSON.parse(entry.toString()));
    const [userId, projectId] = [textMember(fields, "userId"), textMember(fields, "projectId")];
    return keys.has(keyOf(userId, projectId, textMember(fields, "projectGrantId")));
  };
}
