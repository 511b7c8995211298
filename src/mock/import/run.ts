import { faultText, type ServiceFault, taken } from "../http/answer.ts";
import { isObject, type JsonObject, type JsonValue, listAt, textAt, valueAt } from "../http/json.ts";
import { hashFault } from "../state/hash-limits.ts";
import type { Instance } from "../state/instance.ts";
import { type Org, orgOf } from "../state/state.ts";
import type { Store } from "../state/store.ts";
import { addGeneratedDomain, domainIsFree, generatedDomain } from "./domains.ts";
import type { ImportContext, ImportSettings, ImportStep } from "./import-context.ts";
import { importStages } from "./kinds.ts";
import { isImportedByService } from "./texts.ts";

export interface ImportCall extends Pick<ImportSettings, "caller" | "pace" | "events"> {
  readonly orgs: readonly JsonObject[];
  /** The organization in the header; absent: the caller's organization. */
  readonly orgId?: string | undefined;
  /** The organizations are the first contents of the instance: hashes are not checked. */
  readonly isSeed?: boolean;
}

interface ErrorEntry extends JsonObject {
  type: string;
  message: string;
}

/**
 * Imports organizations stage by stage and answers as ImportDataResponse (service behaviour 1.6, 2.1–2.3). Errors of entries are
 * listed and do not stop it. Reaching the time limit raises Refusal; the objects created so far remain. spec: Events; objects of
 * an instance import have no events, except in the modes of the real service.
 */
export async function importInto(instance: Instance, { orgs, ...call }: ImportCall): Promise<JsonObject> {
  const settings = settingsOf(instance, call);
  const errors: ErrorEntry[] = [];
  const success = new Map<string, JsonObject>();
  const run = { settings, errors, success };
  try {
    for (const org of orgs) {
      const entered = enter(org, run);
      if (!entered) continue;
      await runSteps(importStages[0] ?? [], org, run);
    }
    for (const stage of importStages.slice(1)) {
      for (const org of orgs) await runSteps(stage, org, run);
    }
  } finally {
    settings.store.commit();
  }
  const entries = [...success.values()].map(inAnswerOrder);
  return {
    ...(errors.length === 0 ? {} : { errors }),
    success: entries.length === 0 ? {} : { orgs: entries },
  };
}

function settingsOf(instance: Instance, { orgId, isSeed, events, ...call }: Omit<ImportCall, "orgs">): ImportSettings {
  const { store, traits, seed, domain, verifiers } = instance;
  const callerOrgId = orgId ?? store.state.userOrgs.get(call.caller.userId) ?? "";
  return {
    ...call,
    store,
    traits,
    seed,
    domain,
    verifiers,
    callerOrg: store.state.orgs.get(callerOrgId),
    events: events || traits.instanceImportHasEvents,
    faultOfHash: (hash) => (traits.checksHashes && isSeed !== true ? hashFault(hash, instance) : undefined),
  };
}

interface Run {
  readonly settings: ImportSettings;
  readonly errors: ErrorEntry[];
  readonly success: Map<string, JsonObject>;
}

/**
 * Always tries to create the organization (service behaviour 2.3). False: the whole entry is skipped, because the organization
 * neither exists nor can be created. A deleted organization is an error, and its entries are imported (0.11).
 */
function enter(org: JsonObject, { settings, errors, success }: Run): boolean {
  const { state } = settings.store;
  const id = textAt(org, "orgId");
  const fault = orgFault(org, settings);
  if (fault === undefined) createOrg(org, settings);
  else errors.push(errorEntry("org", id, faultText(fault, settings.traits)));
  const entered = state.orgs.has(id) || (settings.traits.reusesRemovedIds && state.removedOrgs.has(id));
  if (entered && !success.has(id)) success.set(id, { orgId: id });
  return entered;
}

/** Without an empty id: empty values are omitted. */
function errorEntry(type: string, id: string, message: string): ErrorEntry {
  return { type, ...(id === "" ? {} : { id }), message };
}

function orgFault(org: JsonObject, { store, traits, domain }: ImportSettings): ServiceFault | undefined {
  const { orgs, removedOrgs, orgNames } = store.state;
  const id = textAt(org, "orgId");
  const removed = removedOrgs.get(id);
  const exists = { id: traits.orgExistsId, key: "Errors.Org.AlreadyExisting" };
  if (orgs.has(id) || (removed !== undefined && !traits.reusesRemovedIds)) return exists;
  const name = textAt(org, "org", "name");
  if (id === "" || name.trim() === "") return { id: "COMM-deLSk", key: "Errors.Org.Invalid" };
  const ownDomain = generatedDomain(name, domain);
  if (removed !== undefined) {
    return traits.removedOrgFault === "domain" && generatedDomain(removed.name, domain) === ownDomain
      ? { id: "COMMA-Bd2jj", key: "Errors.Org.Domain.AlreadyExists" }
      : taken("Errors.Member.AlreadyExists");
  }
  if (orgNames.has(name.toLowerCase())) return taken("Errors.Org.AlreadyExists");
  return domainIsFree(store, id, ownDomain) ? undefined : taken("Errors.Org.Domain.AlreadyExists");
}

/** The caller becomes its owner (service behaviour 2.3). */
function createOrg(org: JsonObject, settings: ImportSettings): void {
  const { store, caller, events } = settings;
  const [id, name] = [textAt(org, "orgId"), textAt(org, "org", "name")];
  addOrg(store, { id, name }, settings.domain, caller.userId, events);
  if (textAt(org, "orgState") === "ORG_STATE_INACTIVE") {
    store.change({ do: "setting", org: id, field: "orgState", value: "ORG_STATE_INACTIVE" });
  }
  const member = { userId: caller.userId, roles: ["ORG_OWNER"] };
  store.change({ do: "put", org: id, field: "creators", key: caller.userId, entry: member });
  if (!events) return;
  const about = { aggregateType: "org", aggregateId: id, orgId: id, editor: caller.userId };
  store.push([{ ...about, type: "org.member.added", payload: member }]);
}

/** Creates an organization with its generated domain. The caller commits. */
export function addOrg(
  store: Store,
  { id, name }: Pick<Org, "id" | "name">,
  instanceDomain: string,
  editor: string,
  hasEvents = true,
): void {
  store.change({ do: "org", id, name });
  const created = store.state.orgs.get(id);
  if (created === undefined) return;
  const domain = generatedDomain(name, instanceDomain);
  const domainEvents = addGeneratedDomain(store, created, { domain, editor });
  const about = { aggregateType: "org", aggregateId: id, orgId: id, editor };
  if (hasEvents) store.push([{ ...about, type: "org.added", payload: { name } }, ...domainEvents]);
}

async function runSteps(steps: readonly ImportStep[], org: JsonObject, run: Run): Promise<void> {
  const { pace, store, traits } = run.settings;
  const context = contextOf(org, run);
  if (context === undefined) return;
  for (const step of steps) {
    if (!traits.importsAllTexts && !isImportedByService(step.field, org)) continue;
    for (const entry of entriesOf(org, step.field)) {
      if (step.field === "humanUsers" || step.field === "machineUsers") pace.user();
      const done = step.run(context, entry);
      if (done !== undefined) await done;
      if (!pace.due) continue;
      store.commit();
      await pace.rest();
    }
  }
}

/** The entry of a setting, or the entries of a list. */
function entriesOf(org: JsonObject, field: string): readonly JsonObject[] {
  const value = valueAt(org, field);
  return isObject(value) ? [value] : listAt(org, field);
}

/** undefined for an organization that was skipped. */
function contextOf(org: JsonObject, { settings, errors, success }: Run): ImportContext | undefined {
  const id = textAt(org, "orgId");
  const found = orgOf(settings.store.state, id);
  const entry = success.get(id);
  if (found === undefined || entry === undefined) return undefined;
  return {
    ...settings,
    org: found,
    fail: (type, of, fault) => void errors.push(errorEntry(type, of, faultText(fault, settings.traits))),
    succeed(list, item: JsonValue) {
      const items = entry[list];
      if (Array.isArray(items)) items.push(item);
      else entry[list] = [item];
    },
    succeeded(list) {
      const items = entry[list];
      return Array.isArray(items) ? [...items] : [];
    },
  };
}

/** The lists of a success entry as the service's message has them (service behaviour 1.6). */
const answerOrder = [
  ...["orgId", "projectIds", "projectRoles", "oidcAppIds", "apiAppIds", "humanUserIds", "machineUserIds", "actionIds"],
  ...["triggerActions", "projectGrants", "userGrants", "orgMembers", "projectMembers", "projectGrantMembers"],
  ...["oidcIpds", "jwtIdps", "userLinks", "userMetadata", "domains", "appKeys", "machineKeys"],
];

function inAnswerOrder(entry: JsonObject): JsonObject {
  return Object.fromEntries(answerOrder.filter((list) => list in entry).map((list) => [list, entry[list]]));
}
