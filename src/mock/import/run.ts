import type { Caller } from "../http/auth.ts";
import type { Pace } from "../http/pace.ts";
import { isObject, type JsonObject, type JsonValue, listAt, textAt, valueAt } from "../protojson/json-value.ts";
import type { State } from "../state/state.ts";
import type { Store } from "../state/store.ts";
import type { ImportContext, ImportStep, Mimic, ServiceFault } from "./import-context.ts";
import { faultText } from "./import-context.ts";
import { importStages, neverImportedByService } from "./kinds.ts";

export interface ImportSettings {
  readonly store: Store;
  readonly caller: Caller;
  readonly mimic: Mimic;
  /** Whether what is created gets events. */
  readonly events: boolean;
  readonly instanceIdpIds: ReadonlySet<string>;
  readonly pace: Pace;
}

interface ErrorEntry extends JsonObject {
  type: string;
  id: string;
  message: string;
}

/**
 * Imports organizations stage by stage and answers as ImportDataResponse (service behaviour 1.6, 2.1–2.3). Errors of entries are
 * listed and do not stop it; running out of time raises Refusal and leaves what was made.
 */
export async function importOrgs(orgs: readonly JsonObject[], settings: ImportSettings): Promise<JsonObject> {
  const errors: ErrorEntry[] = [];
  const success = new Map<string, JsonObject>();
  try {
    for (const org of orgs) {
      if (!enter(org, settings, errors)) continue;
      const id = textAt(org, "orgId");
      if (!success.has(id)) success.set(id, { orgId: id });
      await runSteps(importStages[0] ?? [], org, { settings, errors, success });
    }
    for (const stage of importStages.slice(1)) {
      for (const org of orgs) await runSteps(stage, org, { settings, errors, success });
    }
  } finally {
    settings.store.commit();
  }
  const entries = [...success.values()];
  return {
    ...(errors.length === 0 ? {} : { errors }),
    success: entries.length === 0 ? {} : { orgs: entries },
  };
}

/**
 * Tries to create the organization, always (service behaviour 2.3). False: the entry is skipped as a whole, because the
 * organization neither exists nor can be created, or was removed.
 */
function enter(org: JsonObject, settings: ImportSettings, errors: ErrorEntry[]): boolean {
  const { state } = settings.store;
  const id = textAt(org, "orgId");
  const fault = orgFault(org, state);
  if (fault === undefined) createOrg(org, settings);
  else errors.push({ type: "org", id, message: faultText(fault) });
  return state.orgs.has(id);
}

function orgFault(org: JsonObject, { orgs, removedOrgs }: State): ServiceFault | undefined {
  const id = textAt(org, "orgId");
  if (orgs.has(id) || removedOrgs.has(id)) return { id: "ORG-lapo2m", key: "Errors.Org.AlreadyExisting" };
  const isValid = id !== "" && textAt(org, "org", "name").trim() !== "";
  return isValid ? undefined : { id: "COMM-deLSk", key: "Errors.Org.Invalid" };
}

/** The caller becomes its owner (service behaviour 2.3). */
function createOrg(org: JsonObject, { store, caller, events }: ImportSettings): void {
  const id = textAt(org, "orgId");
  store.change({ do: "org", id, name: textAt(org, "org", "name") });
  const orgState = textAt(org, "orgState");
  if (orgState !== "") store.change({ do: "setting", org: id, field: "orgState", value: JSON.stringify(orgState) });
  const member = JSON.stringify({ userId: caller.userId, roles: ["ORG_OWNER"] });
  store.change({ do: "put", org: id, field: "creators", key: caller.userId, entry: member });
  if (!events) return;
  const common = { aggregateType: "org", aggregateId: id, orgId: id, editor: caller.userId };
  const types = ["org.added", "org.member.added"];
  store.push(types.map((type, index) => ({ ...common, type, sequence: index + 1 })));
}

interface Run {
  readonly settings: ImportSettings;
  readonly errors: ErrorEntry[];
  readonly success: ReadonlyMap<string, JsonObject>;
}

async function runSteps(steps: readonly ImportStep[], org: JsonObject, run: Run): Promise<void> {
  const { pace, store, mimic } = run.settings;
  const context = contextOf(org, run);
  if (context === undefined) return;
  for (const step of steps) {
    if (mimic === "service" && neverImportedByService.has(step.field)) continue;
    for (const entry of entriesOf(org, step.field)) {
      if (step.field === "humanUsers" || step.field === "machineUsers") pace.user();
      step.run(context, entry);
      if (!pace.due) continue;
      store.commit();
      await pace.rest();
    }
  }
}

/** A setting is one entry, a list as many as it has. */
function entriesOf(org: JsonObject, field: string): readonly JsonObject[] {
  const value = valueAt(org, field);
  return isObject(value) ? [value] : listAt(org, field);
}

/** undefined for an organization that was skipped. */
function contextOf(org: JsonObject, { settings, errors, success }: Run): ImportContext | undefined {
  const id = textAt(org, "orgId");
  const found = settings.store.state.orgs.get(id);
  const entry = success.get(id);
  if (found === undefined || entry === undefined) return undefined;
  const { store, caller, mimic, events, instanceIdpIds } = settings;
  return {
    store,
    org: found,
    caller,
    mimic,
    events,
    instanceIdpIds,
    fail: (type, of, fault) => void errors.push({ type, id: of, message: faultText(fault) }),
    succeed(list, item: JsonValue) {
      const items = entry[list];
      if (Array.isArray(items)) items.push(item);
      else entry[list] = [item];
    },
  };
}
