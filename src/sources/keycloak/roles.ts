import type { RoleNames } from "../shared/grants.ts";
import type { RawUser } from "./user-row.ts";

/** The default roles of a new realm: `default-roles-<realm>` since version 13, the others before. */
const DEFAULT_ROLE = /^(default-roles-|offline_access$|uma_authorization$)/;
const DEFAULT_CLIENT = "account";

type Names = readonly string[];

interface Group {
  /** Paths of the groups around it. */
  readonly around: Names;
  /** Roles of all of them. */
  readonly roles: Names;
}

const NO_GROUP: Group = { around: [], roles: [] };

/**
 * The roles and groups of a realm: `editor` is a realm role, `shop:buyer` a role of a client, `/staff/sales` a group. A composite role
 * includes other roles. A group gives its roles, and those of the groups around it.
 */
export class RealmRoles {
  readonly #composites = new Map<string, Names>();
  readonly #groups = new Map<string, Group>();

  /** Takes the members `roles` and `groups` of a realm export. */
  take(members: ReadonlyMap<string, unknown>): void {
    const { realm, client } = fieldsOf(members.get("roles"));
    for (const role of listOf(realm)) this.#addRole(role, "");
    for (const [id, roles] of Object.entries(fieldsOf(client))) {
      for (const role of listOf(roles)) this.#addRole(role, `${id}:`);
    }
    for (const group of listOf(members.get("groups"))) this.#addGroup(group, NO_GROUP);
  }

  /** The roles of a user, also those that groups give, each with the names of what it includes, and the groups. Default roles are none. */
  of({ realmRoles, clientRoles, groups }: RawUser): readonly RoleNames[] {
    const paths = textsOf(groups);
    const ofGroups = paths.flatMap((path) => this.#groupOf(path).roles);
    const direct = [...textsOf(realmRoles), ...namesOfClients(clientRoles), ...ofGroups];
    // What an administrator added to the default roles, all users have.
    const added = direct.filter(isDefault).flatMap((name) => this.#included(name));
    const own = direct.filter((name) => !isDefault(name));
    return [
      ...[...new Set([...own, ...added])].map((name) => ({ name, around: [], parts: this.#included(name) })),
      ...paths.map((path) => ({ name: path, around: this.#groupOf(path).around, parts: [] })),
    ];
  }

  #groupOf(path: string): Group {
    return this.#groups.get(path) ?? NO_GROUP;
  }

  /** What a role includes, at any depth, without default roles. */
  #included(name: string, seen = new Set([name])): Names {
    return (this.#composites.get(name) ?? []).flatMap((one) => {
      if (seen.has(one)) return [];
      seen.add(one);
      return [...(isDefault(one) ? [] : [one]), ...this.#included(one, seen)];
    });
  }

  #addRole(role: unknown, prefix: string): void {
    const { name, composites } = fieldsOf(role);
    const { realm, client } = fieldsOf(composites);
    const included = [...textsOf(realm), ...namesOfClients(client)];
    if (typeof name === "string" && included.length > 0) this.#composites.set(prefix + name, included);
  }

  #addGroup(group: unknown, { around, roles }: Group): void {
    const { path, realmRoles, clientRoles, subGroups } = fieldsOf(group);
    if (typeof path !== "string") return;
    const all = [...roles, ...textsOf(realmRoles), ...namesOfClients(clientRoles)];
    this.#groups.set(path, { around, roles: all });
    for (const inner of listOf(subGroups)) this.#addGroup(inner, { around: [...around, path], roles: all });
  }
}

function isDefault(name: string): boolean {
  return DEFAULT_ROLE.test(name) || name.startsWith(`${DEFAULT_CLIENT}:`);
}

function namesOfClients(clients: unknown): Names {
  return Object.entries(fieldsOf(clients)).flatMap(([id, roles]) => textsOf(roles).map((role) => `${id}:${role}`));
}

// Unchecked values, as far as they have the expected form.

export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textsOf(value: unknown): readonly string[] {
  return listOf(value).filter((one) => typeof one === "string");
}
