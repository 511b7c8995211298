import { type JsonObject, type JsonValue, textAt, valueAt } from "../protojson/json-value.ts";
import { owned, type State } from "../state/state.ts";
import type { ServiceFault } from "./import-context.ts";
import { listed } from "./steps.ts";

const idAt =
  (...path: readonly string[]) =>
  (entry: JsonObject): string =>
    textAt(entry, ...path);
const roleKey = (entry: JsonObject): string => `${textAt(entry, "projectId")}_${textAt(entry, "roleKey")}`;
const strings = (value: JsonValue | undefined): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];

function projectFault(state: State, projectId: string): ServiceFault | undefined {
  return owned(state, "projects", projectId) ? undefined : { id: "COMMAND-Lgk5e", key: "Errors.Project.NotFound" };
}

export const projects = listed({
  field: "projects",
  unique: (entry) => ["projects", textAt(entry, "projectId")],
  type: "project",
  key: idAt("projectId"),
  exists: { id: "COMMAND-opamwu", key: "Errors.Project.AlreadyExisting" },
  success: ["projectIds", idAt("projectId")],
});

export const oidcApps = listed({
  field: "oidcApps",
  unique: (entry) => ["oidcApps", textAt(entry, "appId")],
  type: "oidc_app",
  key: idAt("appId"),
  exists: { id: "PROJECT-lxowmp", key: "Errors.Project.App.AlreadyExisting" },
  missing: (entry, state) => projectFault(state, textAt(entry, "app", "projectId")),
  success: ["oidcAppIds", idAt("appId")],
});

export const apiApps = listed({
  field: "apiApps",
  unique: (entry) => ["apiApps", textAt(entry, "appId")],
  type: "api_app",
  key: idAt("appId"),
  exists: { id: "PROJECT-mabu12", key: "Errors.Project.App.AlreadyExisting" },
  missing: (entry, state) => projectFault(state, textAt(entry, "app", "projectId")),
  success: ["apiAppIds", idAt("appId")],
});

export const appKeys = listed({
  field: "appKeys",
  type: "app_key",
  key: idAt("id"),
  exists: { id: "COMMAND-5m9sd", key: "Errors.Project.App.Key.AlreadyExists" },
  missing(entry, state) {
    const appId = textAt(entry, "appId");
    const found = owned(state, "oidcApps", appId) || owned(state, "apiApps", appId);
    return found ? undefined : { id: "COMMAND-34dfs", key: "Errors.Project.App.NotFound" };
  },
  success: ["appKeys", idAt("id")],
});

export const actions = listed({
  field: "actions",
  unique: (entry) => ["actions", textAt(entry, "actionId")],
  type: "action",
  key: idAt("actionId"),
  exists: { id: "COMMAND-nau2k", key: "Errors.Action.AlreadyExisting" },
  success: ["actionIds", idAt("actionId")],
});

/** The id of a second role is asserted by the service's own test (service behaviour 2.2). */
export const projectRoles = listed({
  field: "projectRoles",
  type: "project_role",
  key: roleKey,
  exists: { id: "PROJECT-37fug", key: "Errors.AlreadyExists" },
  missing: (entry, state) => projectFault(state, textAt(entry, "projectId")),
  success: ["projectRoles", roleKey],
});

/** Setting the actions of a trigger needs a flow, a trigger and actions that are there (service behaviour 2.11). */
export const triggerActions = listed({
  field: "triggerActions",
  type: "trigger_action",
  key: (entry) => `${textAt(entry, "flowType")}_${textAt(entry, "triggerType")}`,
  exists: { id: "COMMAND-Nfh52", key: "Errors.Flow.NoChanges.AlreadyExists" },
  missing(entry, state) {
    if (["", "0"].includes(textAt(entry, "flowType")) || ["", "0"].includes(textAt(entry, "triggerType"))) {
      return { id: "COMMAND-Dfhj5", key: "Errors.Flow.FlowTypeMissing" };
    }
    const missing = strings(valueAt(entry, "actionIds")).some((id) => !owned(state, "actions", id));
    return missing ? { id: "COMMAND-7f4h2", key: "Errors.Flow.ActionIDsNotExist" } : undefined;
  },
  success: [
    "triggerActions",
    (entry) => ({
      flowType: textAt(entry, "flowType"),
      triggerType: textAt(entry, "triggerType"),
      ...(strings(valueAt(entry, "actionIds")).length === 0
        ? {}
        : { actionIds: [...strings(valueAt(entry, "actionIds"))] }),
    }),
  ],
});

const granted = (entry: JsonObject): string => textAt(entry, "projectGrant", "grantedOrgId");
const grantProject = (entry: JsonObject): string => textAt(entry, "projectGrant", "projectId");

/** A project may be granted to an organization once (service behaviour 2.2). */
export const projectGrants = listed({
  field: "projectGrants",
  type: "project_grant",
  key: idAt("grantId"),
  unique: (entry) => ["projectGrants", `${grantProject(entry)}_${granted(entry)}`],
  errorId: (entry, org) => `${org.id}_${grantProject(entry)}_${granted(entry)}`,
  exists: { id: "V3-DKcYh", key: "Errors.Project.Grant.AlreadyExists" },
  missing(entry, state) {
    if (!owned(state, "projects", grantProject(entry))) return projectFault(state, grantProject(entry));
    return state.orgs.has(granted(entry)) ? undefined : { id: "PROJECT-1m9gR", key: "Errors.Org.NotFound" };
  },
  success: [
    "projectGrants",
    (entry) => ({ grantId: textAt(entry, "grantId"), projectId: grantProject(entry), orgId: granted(entry) }),
  ],
});
