import { isExportedTrigger } from "../../import/triggers.ts";
import { type JsonObject, type JsonValue, parseStored, textAt } from "../../protojson/json-value.ts";
import { type FieldType, type MessageTable, messageNamed } from "../../protojson/message-table.ts";
import { ownerKey } from "../../state/keys.ts";
import type { Org, State } from "../../state/state.ts";
import type { Traits } from "../../traits.ts";
import type { Lag } from "../../users/lag.ts";
import { asServiceHasIt } from "./service-entry.ts";
import { shownEntry } from "./shown-entry.ts";

export interface ExportSettings {
  readonly state: State;
  readonly table: MessageTable;
  readonly traits: Traits;
  /** What it is about, in the order in which they were made. */
  readonly orgs: readonly Org[];
  readonly withPasswords: boolean;
  readonly withOtp: boolean;
  readonly lag: Lag;
}

/** One field of an organization with its value, or with all elements of its list, one at a time. */
export interface ExportedField {
  readonly field: FieldType;
  readonly values: Iterable<JsonValue>;
}

/**
 * An organization as the service exports it, in the order of its message, without an empty list. What refers to a user, a project
 * or an organization that this export does not hold is left out (recordings copy 02, 03).
 */
export function* exportedFields(org: Org, settings: ExportSettings): Generator<ExportedField> {
  const scope: Scope = { ...settings, org, orgIds: new Set(settings.orgs.map(({ id }) => id)) };
  for (const field of messageNamed(settings.table, "DataOrg").fields) {
    const value = settingOf(field.json, scope);
    if (value !== undefined) yield { field, values: [value] };
    if (field.repeated) yield { field, values: entriesOf(field.json, scope) };
  }
}

interface Scope extends ExportSettings {
  readonly org: Org;
  readonly orgIds: ReadonlySet<string>;
}

function settingOf(field: string, { org, traits, table }: Scope): JsonValue | undefined {
  if (field === "orgId") return org.id;
  if (field === "org") return { name: org.name };
  const stored = org.settings.get(field);
  if (field === "orgState") {
    if (!traits.knowsStates) return undefined;
    return stored === undefined ? "ORG_STATE_ACTIVE" : JSON.parse(stored);
  }
  if (stored === undefined) return undefined;
  const given = parseStored(stored);
  if (traits.exportsAsGiven) return given;
  return field === "domainPolicy" ? { ...given, orgId: org.id } : asServiceHasIt(field, given, table);
}

function* entriesOf(field: string, scope: Scope): Generator<JsonObject> {
  for (const text of textsOf(field, scope)) {
    const entry = parseStored(text);
    if (isWithin(field, entry, scope)) yield shownEntry(field, entry, scope);
  }
}

/** Where the entries of a list are kept. */
function* textsOf(field: string, { org, orgs }: Scope): Generator<string> {
  // The caller that created an organization is a member of it (service behaviour 2.3).
  if (field === "orgMembers") yield* org.lists.get("creators")?.values() ?? [];
  // Members of projects stand in every organization of the export, whoever's the project is (recording copy 03).
  const owners = field === "projectMembers" ? orgs : [org];
  for (const { lists } of owners) yield* lists.get(field)?.values() ?? [];
}

function isWithin(field: string, entry: JsonObject, scope: Scope): boolean {
  const isUser = (id: string): boolean =>
    !scope.lag.hidden.has(id) && scope.orgIds.has(scope.state.userOrgs.get(id) ?? "");
  switch (field) {
    case "humanUsers":
      return !scope.lag.hidden.has(textAt(entry, "userId"));
    case "userMetadata":
      return isUser(textAt(entry, "id"));
    case "userLinks":
    case "orgMembers":
    case "projectMembers":
    case "projectGrantMembers":
      return isUser(textAt(entry, "userId"));
    case "userGrants":
      return isUser(textAt(entry, "userId")) && isProject(textAt(entry, "projectId"), scope);
    case "projectGrants":
      return scope.orgIds.has(textAt(entry, "projectGrant", "grantedOrgId"));
    case "triggerActions":
      return scope.traits.exportsAsGiven || isExportedTrigger(entry);
    default:
      return true;
  }
}

function isProject(id: string, { state, orgIds }: Scope): boolean {
  return orgIds.has(state.owners.get(ownerKey("projects", id)) ?? "");
}
