import { isObject, type JsonObject, type JsonValue, textAt } from "../../http/json.ts";
import { isExportedTrigger } from "../../import/triggers.ts";
import { ownerOf } from "../../state/lookup.ts";
import type { Org } from "../../state/state.ts";
import { isSkipped } from "../../users/gaps.ts";
import { asServiceHasIt } from "./service-entry.ts";
import { type ExportSettings, type Scope, shownEntry } from "./shown-entry.ts";

/**
 * An organization as the service exports it, in the order of its message, without an empty list and without references to a user,
 * a project or an organization outside this export (recordings copy 02, 03).
 */
export function exportedOrg(org: Org, settings: ExportSettings): JsonObject {
  const scope: Scope = { ...settings, org, orgIds: new Set(settings.orgs.map(({ id }) => id)) };
  const exported: JsonObject = {};
  for (const { jsonName, fieldKind } of settings.descriptor.fields) {
    const value = fieldKind === "list" ? entriesOf(jsonName, scope) : settingOf(jsonName, scope);
    if (value !== undefined) exported[jsonName] = value;
  }
  return exported;
}

function settingOf(field: string, { org, traits, descriptor }: Scope): JsonValue | undefined {
  if (field === "orgId") return org.id;
  if (field === "org") return { name: org.name };
  const stored = org.settings.get(field);
  if (field === "orgState") return traits.knowsStates ? (stored ?? "ORG_STATE_ACTIVE") : undefined;
  if (!isObject(stored) || traits.exportsAsGiven) return stored;
  return field === "domainPolicy" ? { ...stored, orgId: org.id } : asServiceHasIt(field, stored, descriptor);
}

/** undefined for an empty list. */
function entriesOf(field: string, scope: Scope): JsonObject[] | undefined {
  const shown = keptEntries(field, scope).flatMap((entry) =>
    isWithin(field, entry, scope) ? [shownEntry(field, entry, scope)] : [],
  );
  return shown.length === 0 ? undefined : shown;
}

/** The service leaves out grants in projects of organizations that come later in the export (service behaviour 9.43). */
function isExported(owner: Org | undefined, { org, orgs, traits }: Scope): boolean {
  const at = orgs.findIndex(({ id }) => id === owner?.id);
  return at !== -1 && (traits.exportsAsGiven || at <= orgs.indexOf(org));
}

/** The stored entries of a list. */
function keptEntries(field: string, { org, orgs, traits }: Scope): readonly JsonObject[] {
  // The caller that created an organization is a member of it (service behaviour 2.3).
  const creators = field === "orgMembers" ? [...(org.lists.get("creators")?.values() ?? [])] : [];
  // Members of projects are in every organization of the export, also where the project is not (recording copy 03).
  const owners = field === "projectMembers" ? orgs : [org];
  const entries = [...creators, ...owners.flatMap(({ lists }) => [...(lists.get(field)?.values() ?? [])])];
  const isSorted = traits.sortsExportedUsers && (field === "humanUsers" || field === "machineUsers");
  return isSorted ? entries.sort((one, other) => (textAt(one, "userId") < textAt(other, "userId") ? 1 : -1)) : entries;
}

function isWithin(field: string, entry: JsonObject, scope: Scope): boolean {
  const { store, orgIds, lag, traits } = scope;
  const { state } = store;
  const isUser = (id: string): boolean =>
    !lag.hidden.has(id) && orgIds.has(state.userOrgs.get(id) ?? "") && !isSkipped(field, id, state);
  switch (field) {
    case "humanUsers":
      return !lag.hidden.has(textAt(entry, "userId"));
    case "userMetadata":
      return isUser(textAt(entry, "id"));
    case "userLinks":
    case "orgMembers":
      return isUser(textAt(entry, "userId"));
    case "projectMembers": {
      const projectId = textAt(entry, "projectId");
      // A project that was deleted with its organization still takes members (service behaviour 9.48).
      const isProject = ownerOf(state, "projects", projectId)?.lists.get("projects")?.has(projectId) === true;
      return isUser(textAt(entry, "userId")) && isProject;
    }
    case "projectGrantMembers": {
      const grant = scope.org.lists.get("projectGrants")?.get(textAt(entry, "grantId"));
      return isUser(textAt(entry, "userId")) && grant !== undefined && isWithin("projectGrants", grant, scope);
    }
    case "userGrants":
      return (
        isUser(textAt(entry, "userId")) && isExported(ownerOf(state, "projects", textAt(entry, "projectId")), scope)
      );
    case "projectGrants":
      return orgIds.has(textAt(entry, "projectGrant", "grantedOrgId"));
    case "triggerActions":
      return traits.exportsAsGiven || isExportedTrigger(entry);
    default:
      return true;
  }
}
