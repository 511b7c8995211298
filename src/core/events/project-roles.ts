import type { ServiceEvent } from "../../contract/events.ts";
import { type Fields, fieldsOf, member, textMember, textsMember } from "../json/members.ts";

/**
 * The events that decide which roles a user can get (service behaviour 9.36). The removal of a role is not among them where the project is
 * granted: the service still gives the role.
 */
export const projectRoleEvents = [
  "project.added",
  "project.removed",
  "project.role.added",
  "project.role.removed",
  "project.grant.added",
  "project.grant.changed",
  "project.grant.removed",
] as const;

interface ProjectGrant {
  readonly orgId: string;
  roles: ReadonlySet<string>;
}

interface Project {
  /** The organization that it belongs to. */
  readonly orgId: string;
  readonly roles: Set<string>;
  /** By their ids. */
  readonly grants: Map<string, ProjectGrant>;
  /** The ids of those that the target has, or had. */
  readonly grantIds: Set<string>;
  /** Roles for want of which the input's grants of the project to these organizations fail. */
  readonly refused: Map<string, readonly string[]>;
}

/** What a role grant asks for. */
export interface RoleGrant {
  readonly projectId: string;
  /** "" for none. */
  readonly projectGrantId: string;
  readonly roleKeys: readonly string[];
}

/** How the service decides about project grants. */
export interface ProjectGrantRules {
  /** False: it only looks for another grant. */
  readonly checks: boolean;
  hasOrg(orgId: string): boolean;
}

/** Why a role grant will fail. Without `roleKeys`, the organization has no such project. */
export interface GrantFault {
  /** The roles that are missing. */
  readonly roleKeys?: readonly string[];
}

/** Why a project grant will fail. "place": the organization has another grant of the project. */
export type ProjectGrantFault =
  | { readonly lacks: "project" | "organization" | "place" }
  | { readonly lacks: "roles"; readonly roleKeys: readonly string[] };

/** The projects of an instance with their roles and with the organizations that they are granted to. */
export class ProjectRoles {
  readonly #projects = new Map<string, Project>();

  /** Takes an event of the instance, in the order of the log. */
  apply({ aggregate: { id, resourceOwner }, type: { type }, payload }: ServiceEvent): void {
    const fields = fieldsOf(payload);
    if (type === "project.added") this.addProject(id, resourceOwner);
    else if (type === "project.removed") this.#projects.delete(id);
    const project = this.#projects.get(id);
    const grantId = textMember(fields, "grantId");
    const grant = project?.grants.get(grantId);
    switch (type) {
      case "project.role.added":
        project?.roles.add(textMember(fields, "key"));
        break;
      case "project.role.removed":
        project?.roles.delete(textMember(fields, "key"));
        break;
      case "project.grant.added": {
        const roles = new Set(textsMember(fields, "roleKeys"));
        project?.grants.set(grantId, { orgId: textMember(fields, "grantedOrgId"), roles });
        project?.grantIds.add(grantId);
        break;
      }
      case "project.grant.changed":
        if (grant !== undefined) grant.roles = new Set(textsMember(fields, "roleKeys"));
        break;
      case "project.grant.removed":
        project?.grants.delete(grantId);
        break;
    }
  }

  /** The organization of a project. */
  homeOf(projectId: string): string | undefined {
    return this.#projects.get(projectId)?.orgId;
  }

  /** Adds a project, unless there is one. */
  addProject(id: string, orgId: string): void {
    if (!this.#projects.has(id))
      this.#projects.set(id, { orgId, roles: new Set(), grants: new Map(), grantIds: new Set(), refused: new Map() });
  }

  /** Adds a role of the input, an element of this organization. */
  addRole(element: Fields, orgId: string): void {
    const project = this.#projects.get(textMember(element, "projectId"));
    if (project?.orgId === orgId) project.roles.add(textMember(element, "roleKey"));
  }

  /**
   * Adds a project grant of the input, an element of this organization, as the service would: it looks for the project, the organization, the
   * roles and another grant, in this order (service behaviour 9.47). Returns why the service would refuse it. "there": the organization has a
   * grant, and the project has had one with this id, which counts as this one.
   */
  addGrant(
    element: Fields,
    orgId: string,
    { checks, hasOrg }: ProjectGrantRules,
  ): ProjectGrantFault | "there" | undefined {
    const inner = fieldsOf(member(element, "projectGrant"));
    const project = this.#projects.get(textMember(inner, "projectId"));
    const to = textMember(inner, "grantedOrgId");
    if (project?.orgId !== orgId) return checks ? { lacks: "project" } : undefined;
    if (checks && !hasOrg(to)) return { lacks: "organization" };
    const id = textMember(element, "grantId");
    const isGranted = [...project.grants.values()].some((grant) => grant.orgId === to);
    const roleKeys = textsMember(inner, "roleKeys");
    const lacking = checks ? [...new Set(roleKeys)].filter((key) => !project.roles.has(key)) : [];
    if (lacking.length > 0) {
      if (!isGranted) project.refused.set(to, lacking);
      return { lacks: "roles", roleKeys: lacking };
    }
    if (isGranted && project.grantIds.has(id)) return "there";
    if (isGranted) return project.grants.has(id) ? undefined : { lacks: "place" };
    project.grants.set(id, { orgId: to, roles: new Set(roleKeys) });
    return undefined;
  }

  /** Why the service would refuse a role grant to a user in that organization; undefined: it would not, or its versions differ. */
  faultOf(
    { projectId, projectGrantId, roleKeys }: RoleGrant,
    orgId: string,
    findsProjectGrants: boolean,
  ): GrantFault | undefined {
    const project = this.#projects.get(projectId);
    const isOwn = project?.orgId === orgId;
    if (isOwn && projectGrantId !== "") return undefined;
    const roles = isOwn ? project.roles : grantedRoles(project, orgId, { projectGrantId, findsProjectGrants });
    if (roles === undefined) {
      const refused = project?.refused.get(orgId);
      return refused === undefined ? {} : { roleKeys: refused };
    }
    const lacking = [...new Set(roleKeys)].filter((key) => !roles.has(key));
    return lacking.length === 0 ? undefined : { roleKeys: lacking };
  }
}

/** The roles of a project that an organization may give; undefined: it may not use the project. */
function grantedRoles(
  project: Project | undefined,
  orgId: string,
  { projectGrantId, findsProjectGrants }: { readonly projectGrantId: string; readonly findsProjectGrants: boolean },
): ReadonlySet<string> | undefined {
  if (project === undefined || (projectGrantId === "" && !findsProjectGrants)) return undefined;
  const grants = [...project.grants].filter(([, grant]) => grant.orgId === orgId);
  return grants.find(([id]) => projectGrantId === "" || id === projectGrantId)?.[1].roles;
}
