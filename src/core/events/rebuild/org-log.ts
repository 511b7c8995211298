import type { ServiceEvent } from "../../../contract/events.ts";
import { fieldsOf, textMember } from "../../json/members.ts";
import { inUtc } from "./user-entries.ts";

/** A text that an organization has set: the template in events, and the language. */
export interface OwnText {
  readonly template: string;
  readonly language: string;
}

const TEXT_SET = "org.customtext.set";
const PROJECT_ADDED = "project.added";
const PROJECT_REMOVED = "project.removed";
const ROLE_ADDED = "project.role.added";
const ROLE_REMOVED = "project.role.removed";
const GRANT_ADDED = "project.grant.added";
const GRANT_REMOVED = "project.grant.removed";
const KEY_ADDED = "project.application.oidc.key.added";
const KEY_REMOVED = "project.application.oidc.key.removed";

/** The types of the events that this log takes. */
export const orgLogEventTypes = [
  TEXT_SET,
  PROJECT_ADDED,
  PROJECT_REMOVED,
  GRANT_ADDED,
  GRANT_REMOVED,
  KEY_ADDED,
  KEY_REMOVED,
] as const;
/** More of them, for a search of their own: one takes 30 types (service behaviour 0.19). */
export const roleEventTypes = [ROLE_ADDED, ROLE_REMOVED] as const;

/** What the events say of organizations and projects that the lists do not: few objects, kept in memory. */
export class OrgLog {
  readonly #texts = new Map<string, Map<string, OwnText>>();
  readonly #projects = new Set<string>();
  /** The removed roles of each project. */
  readonly #removedRoles = new Map<string, Map<string, true>>();
  /** The organization that has each project grant. */
  readonly #grants = new Map<string, string>();
  /** The keys of each application, by id. */
  readonly #keys = new Map<string, Map<string, object>>();

  /** Takes the next event of an organization, in the order of the log. */
  take({ aggregate, type: { type }, payload }: ServiceEvent): void {
    const fields = fieldsOf(payload);
    const text = (name: string): string => textMember(fields, name);
    switch (type) {
      case TEXT_SET: {
        const own = { template: text("template"), language: text("language") };
        listAt(this.#texts, aggregate.id).set(`${own.template} ${own.language}`, own);
        return;
      }
      case PROJECT_ADDED:
        this.#projects.add(aggregate.id);
        return;
      case PROJECT_REMOVED:
        this.#projects.delete(aggregate.id);
        return;
      case ROLE_ADDED:
        this.#removedRoles.get(aggregate.id)?.delete(text("key"));
        return;
      case ROLE_REMOVED:
        listAt(this.#removedRoles, aggregate.id).set(text("key"), true);
        return;
      case GRANT_ADDED:
        this.#grants.set(text("grantId"), text("grantedOrgId"));
        return;
      case GRANT_REMOVED:
        this.#grants.delete(text("grantId"));
        return;
      case KEY_ADDED:
        listAt(this.#keys, text("applicationId")).set(text("keyId"), keyEntry(aggregate.id, fields));
        return;
      case KEY_REMOVED:
        for (const keys of this.#keys.values()) keys.delete(text("keyId"));
        return;
      default:
    }
  }

  /** The texts that an organization has set at some time. */
  textsOf(orgId: string): readonly OwnText[] {
    return [...(this.#texts.get(orgId)?.values() ?? [])];
  }

  hasProject(projectId: string): boolean {
    return this.#projects.has(projectId);
  }

  /**
   * The roles that a grant still has: the service takes a removed role from all grants, and writes events of only those that its list
   * shows at that moment (service behaviour 0.63).
   */
  rolesOf(projectId: string, roleKeys: readonly string[]): readonly string[] {
    const removed = this.#removedRoles.get(projectId);
    return removed === undefined ? roleKeys : roleKeys.filter((key) => !removed.has(key));
  }

  /** The organization that has a project grant; undefined for a grant that does not exist. */
  grantedOrgOf(grantId: string): string | undefined {
    return this.#grants.get(grantId);
  }

  /** The entries of appKeys of an application. */
  keysOf(appId: string): readonly object[] {
    return [...(this.#keys.get(appId)?.values() ?? [])];
  }
}

function listAt<T>(lists: Map<string, Map<string, T>>, key: string): Map<string, T> {
  const known = lists.get(key) ?? new Map<string, T>();
  lists.set(key, known);
  return known;
}

function keyEntry(projectId: string, fields: ReturnType<typeof fieldsOf>): object {
  const [id, appId, clientId, expirationDate, publicKey] = [
    "keyId",
    "applicationId",
    "clientId",
    "expirationDate",
    "publicKey",
  ].map((name) => textMember(fields, name));
  return {
    id,
    projectId,
    appId,
    clientId,
    type: "KEY_TYPE_JSON",
    ...(expirationDate ? { expirationDate: inUtc(expirationDate) } : {}),
    publicKey,
  };
}
