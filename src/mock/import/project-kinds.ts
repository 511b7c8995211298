import { type ServiceFault, taken } from "../http/answer.ts";
import { type JsonObject, textAt, textsAt } from "../http/json.ts";
import { ownerKey } from "../state/keys.ts";
import { ownerOf } from "../state/lookup.ts";
import type { Org } from "../state/state.ts";
import type { ImportContext, ImportStep } from "./import-context.ts";
import { listed } from "./steps.ts";

const idAt =
  (...path: readonly string[]) =>
  (entry: JsonObject): string =>
    textAt(entry, ...path);
const roleKey = (entry: JsonObject): string => `${textAt(entry, "projectId")}_${textAt(entry, "roleKey")}`;

/** Whether a project belongs to that organization. */
export function isProjectOf({ store, org }: Pick<ImportContext, "store" | "org">, projectId: string): boolean {
  return store.state.owners.get(ownerKey("projects", projectId)) === org.id;
}

/** Whether a project has all these roles. */
export function hasRoles(org: Org | undefined, projectId: string, roleKeys: readonly string[]): boolean {
  return roleKeys.every((role) => org?.lists.get("projectRoles")?.has(`${projectId}_${role}`) === true);
}

export const projectMissing: ServiceFault = { id: "COMMAND-EbFMN", key: "Errors.Project.NotFound" };

const needsProject =
  (...path: readonly string[]) =>
  (entry: JsonObject, context: ImportContext): ServiceFault | undefined =>
    isProjectOf(context, textAt(entry, ...path)) ? undefined : projectMissing;

export const projects = listed({
  field: "projects",
  unique: idAt("projectId"),
  ignoresOtherOrgs: true,
  type: "project",
  key: idAt("projectId"),
  exists: { id: "COMMAND-opamwu", key: "Errors.Project.AlreadyExisting" },
  name: { of: idAt("project", "name"), taken: taken("Errors.Project.AlreadyExists") },
  success: ["projectIds", idAt("projectId")],
});

const apps = (field: "oidcApps" | "apiApps", type: string, list: string, existsId: string): ImportStep =>
  listed({
    field,
    unique: idAt("appId"),
    type,
    key: idAt("appId"),
    exists: { id: existsId, key: "Errors.Project.App.AlreadyExisting" },
    missing: needsProject("app", "projectId"),
    success: [list, idAt("appId")],
  });

export const oidcApps = apps("oidcApps", "oidc_app", "oidcAppIds", "PROJECT-lxowmp");
export const apiApps = apps("apiApps", "api_app", "apiAppIds", "PROJECT-mabu12");

export const appKeys = listed({
  field: "appKeys",
  type: "app_key",
  key: idAt("id"),
  exists: { id: "COMMAND-so20alo", key: "Errors.Project.App.Key.AlreadyExisting" },
  missing(entry, { store }) {
    const appId = textAt(entry, "appId");
    const owner = ownerOf(store.state, "oidcApps", appId) ?? ownerOf(store.state, "apiApps", appId);
    return owner === undefined ? { id: "COMMAND-sak24", key: "Errors.Project.App.NotFound" } : undefined;
  },
  success: ["appKeys", idAt("id")],
});

export const actions = listed({
  field: "actions",
  unique: idAt("actionId"),
  ignoresOtherOrgs: true,
  type: "action",
  key: idAt("actionId"),
  exists: { id: "COMMAND-nau2k", key: "Errors.Action.AlreadyExisting" },
  success: ["actionIds", idAt("actionId")],
});

const rolesAlone = listed({
  field: "projectRoles",
  type: "project_role",
  key: roleKey,
  exists: taken("Errors.Project.Role.AlreadyExists"),
  existsFirst: false,
  missing: needsProject("projectId"),
  success: ["projectRoles", roleKey],
});

/** Roles. Before each of them the service lists all actions again (probed on v4 and v2). */
export const projectRoles: ImportStep = {
  ...rolesAlone,
  run(context, entry) {
    const succeed: ImportContext["succeed"] = (list, item) => {
      for (const actionId of context.succeeded("actionIds")) context.succeed(list, actionId);
      context.succeed(list, item);
    };
    return rolesAlone.run({ ...context, succeed }, entry);
  },
};

const granted = idAt("projectGrant", "grantedOrgId");
const grantProject = idAt("projectGrant", "projectId");

/** A project may be granted to an organization once (service behaviour 2.2). */
export const projectGrants = listed({
  field: "projectGrants",
  type: "project_grant",
  key: idAt("grantId"),
  unique: (entry) => `${grantProject(entry)}_${granted(entry)}`,
  errorId: (entry, org) => `${org.id}_${grantProject(entry)}_${granted(entry)}`,
  exists: taken("Errors.Project.Grant.AlreadyExists"),
  existsFirst: false,
  missing(entry, context) {
    if (!context.traits.checksProjectGrants) return undefined;
    if (!isProjectOf(context, grantProject(entry))) return { id: "COMMAND-m9gsd", key: "Errors.Project.NotFound" };
    if (!context.store.state.orgs.has(granted(entry))) return { id: "COMMAND-3m9gg", key: "Errors.Org.NotFound" };
    return hasRoles(context.org, grantProject(entry), textsAt(entry["projectGrant"], "roleKeys"))
      ? undefined
      : { id: "COMMAND-6m9gd", key: "Errors.Project.Role.NotFound" };
  },
  success: [
    "projectGrants",
    (entry) => ({ grantId: textAt(entry, "grantId"), projectId: grantProject(entry), orgId: granted(entry) }),
  ],
});

/** The grants of a project to that organization. */
export function grantsTo({ store, org }: ImportContext, projectId: string): readonly JsonObject[] {
  const grants = [...(ownerOf(store.state, "projects", projectId)?.lists.get("projectGrants")?.values() ?? [])];
  return grants.filter((entry) => grantProject(entry) === projectId && granted(entry) === org.id);
}
