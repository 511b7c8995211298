import type { ServiceEvent } from "../../contract/events.ts";
import { fieldsOf, textMember } from "../json/members.ts";

/** An object that is deactivated, which no export says (service behaviour 9.37). */
export interface InactiveObject {
  readonly type: (typeof ORDER)[number];
  readonly id: string;
  readonly orgId: string;
  /** Of a role grant. */
  readonly userId?: string;
  /** Of a role grant, an application and a project grant. */
  readonly projectId?: string;
  /** Of a project grant: the organization that has it. */
  readonly grantedOrgId?: string;
  /** Of a role grant in a project of another organization. */
  readonly projectGrantId?: string;
}

const GRANT = "user.grant.";
const GRANT_ADDED = "user.grant.added";
const PROJECT_GRANT_ADDED = "project.grant.added";
/** The events that say what a grant gives to which user or organization. */
export const grantsAdded: readonly string[] = [GRANT_ADDED, PROJECT_GRANT_ADDED];
const ORDER = ["user_grant", "identity_provider", "project", "project_grant", "application", "action"] as const;

interface Kind {
  readonly type: InactiveObject["type"];
  /** What its events begin with. */
  readonly events: string;
  /** The member of the payload that names the object; absent: the aggregate does. */
  readonly id?: string;
  readonly ends: readonly string[];
  readonly isInProject?: true;
}

const CHANGES = ["deactivated", "reactivated", "removed"] as const;
const IDP = "identity_provider";
const PROJECT_GRANT = "project_grant";
const kinds: readonly Kind[] = [
  { type: "user_grant", events: GRANT, ends: [...CHANGES, "cascade.removed"] },
  { type: "project", events: "project.", ends: CHANGES },
  { type: PROJECT_GRANT, events: "project.grant.", id: "grantId", ends: CHANGES, isInProject: true },
  { type: "application", events: "project.application.", id: "appId", ends: CHANGES, isInProject: true },
  { type: "action", events: "action.", ends: CHANGES },
  { type: IDP, events: "org.idp.config.", id: "idpConfigId", ends: CHANGES },
  { type: IDP, events: "org.idp.", id: "id", ends: ["removed"] },
];
const kindOf = new Map(kinds.flatMap((kind) => kind.ends.map((end) => [kind.events + end, kind] as const)));

/** The last of these of an object says whether it is inactive. One search takes 30 types (service behaviour 0.19). */
export const inactiveEventTypes: readonly string[] = [...kindOf.keys()];

/** The objects that are inactive after all events that were taken in order. */
export class InactiveObjects {
  readonly #found = new Map<string, InactiveObject>();
  readonly #removedProjects = new Set<string>();

  take({ type: { type }, aggregate: { id: aggregateId, resourceOwner: orgId }, payload }: ServiceEvent): void {
    const kind = kindOf.get(type);
    if (kind === undefined) return;
    const id = kind.id === undefined ? aggregateId : textMember(fieldsOf(payload), kind.id);
    const key = `${kind.type} ${id}`;
    if (type === "project.removed") this.#removedProjects.add(aggregateId);
    const inProject = kind.isInProject === true ? { projectId: aggregateId } : {};
    if (!type.endsWith(".deactivated")) this.#found.delete(key);
    else this.#found.set(key, { type: kind.type, id, orgId, ...inProject });
  }

  /** The aggregates of grants of which it is unknown who has them: `describe` takes their first events. */
  get openGrants(): readonly string[] {
    const open = [...this.#found.values()].flatMap(({ type, id, userId, projectId = "", grantedOrgId }) => {
      if (type === "user_grant") return userId === undefined ? [id] : [];
      return type === PROJECT_GRANT && grantedOrgId === undefined ? [projectId] : [];
    });
    return [...new Set(open)];
  }

  /** Takes who has a grant, and in which project. */
  describe({ type: { type }, aggregate: { id }, payload }: ServiceEvent): void {
    const fields = fieldsOf(payload);
    if (type === PROJECT_GRANT_ADDED) {
      const key = `${PROJECT_GRANT} ${textMember(fields, "grantId")}`;
      const grant = this.#found.get(key);
      if (grant !== undefined) this.#found.set(key, { ...grant, grantedOrgId: textMember(fields, "grantedOrgId") });
      return;
    }
    const key = `user_grant ${id}`;
    const grant = this.#found.get(key);
    if (type !== GRANT_ADDED || grant === undefined) return;
    const [userId, projectId, projectGrantId] = [
      textMember(fields, "userId"),
      textMember(fields, "projectId"),
      textMember(fields, "grantId"),
    ];
    const granted = projectGrantId === "" ? {} : { projectGrantId };
    this.#found.set(key, { ...grant, userId, projectId, ...granted });
  }

  /** Role grants first. Those of a removed project are gone with it, on 2.62 without an event of their own. */
  get all(): readonly InactiveObject[] {
    const here = [...this.#found.values()].filter(({ projectId = "" }) => !this.#removedProjects.has(projectId));
    return ORDER.flatMap((type) => here.filter((one) => one.type === type));
  }
}

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
