import { Refusal } from "./http/answer.ts";
import type { Caller } from "./http/auth.ts";
import { createBackground } from "./http/background.ts";
import { createFaults, Fault, type FaultInput } from "./http/faults.ts";
import { createPace } from "./http/pace.ts";
import type { RequestLog } from "./http/request-log.ts";
import type { Mimic } from "./import/import-context.ts";
import { importInto } from "./import/into.ts";
import { decodeBody } from "./protojson/decode.ts";
import { type JsonObject, listAt, textAt } from "./protojson/json-value.ts";
import { createMessageTable, messageNamed } from "./protojson/message-table.ts";
import type { Instance } from "./state/instance.ts";
import { createObjectStorage } from "./state/object-storage.ts";
import { openKeptState } from "./state/recorder.ts";
import { type Seed, SeedMisfit } from "./state/seed.ts";
import { createStore, type Store } from "./state/store.ts";

export interface InstanceOptions {
  readonly token: string;
  readonly seed: Seed;
  readonly faults: readonly FaultInput[];
  readonly mimic: Mimic;
  readonly maxRequestBytes: number;
  readonly now: () => Date;
  readonly note: (line: string) => void;
  readonly log: RequestLog;
  readonly dataDir?: string;
}

/** Makes an instance and puts in what was kept and what the seed says. Rejects when an organization of the seed does not fit. */
export async function createInstance(options: InstanceOptions): Promise<Instance> {
  const { now, note, dataDir } = options;
  const kept = dataDir === undefined ? undefined : await openKeptState(dataDir);
  const emptyStore = (): Store => createStore({ now, ...(kept === undefined ? {} : { recorder: kept.recorder }) });
  const instance: Instance = {
    table: createMessageTable(),
    store: kept === undefined ? emptyStore() : createStore({ now, ...kept }),
    grants: new Map(),
    storage: createObjectStorage(dataDir),
    background: createBackground(note),
    sourceJobs: new Map(),
    ...options,
    faults: createFaults(),
    async refill() {
      kept?.clear();
      instance.store = emptyStore();
      options.log.clear();
      await fill(instance, options);
    },
    async close() {
      await instance.background.settled();
      await instance.storage.close();
      kept?.close();
    },
  };
  await fill(instance, options);
  return instance;
}

/** Tokens, faults and organizations of the seed; organizations that were kept are left as they are. */
async function fill(instance: Instance, { token, faults }: InstanceOptions): Promise<void> {
  const { seed, grants, store } = instance;
  grants.clear();
  instance.faults.clear();
  grants.set(token, { userId: "orgferry", roles: ["IAM_OWNER"] });
  for (const { token: seeded, userId, roles, expiresAt } of seed.tokens) {
    grants.set(seeded, { userId, roles, ...(expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt) }) });
  }
  for (const fault of [...seed.faults, ...faults.map((input) => Fault.parse(input))]) instance.faults.add(fault);
  const orgs = seed.orgs.filter(({ orgId }) => !store.state.orgs.has(orgId));
  try {
    const [error] = listAt(await importDirectly(instance, orgs), "errors");
    if (error !== undefined)
      throw new SeedMisfit(`orgs: ${textAt(error, "type")} ${textAt(error, "id")}: ${textAt(error, "message")}`);
  } catch (error) {
    throw error instanceof Refusal ? new SeedMisfit(`orgs: ${error.message}`) : error;
  }
}

const seeder: Caller = { userId: "orgferry" };

/** Imports organizations in the shape of an export, without a request and without events. */
export async function importDirectly(instance: Instance, orgs: readonly object[]): Promise<JsonObject> {
  const message = messageNamed(instance.table, "ImportDataOrg");
  const decoded = listAt(decodeBody(message, JSON.stringify({ orgs })), "orgs");
  const pace = createPace({ timeoutMs: Number.POSITIVE_INFINITY, perUserMs: 0, signal: new AbortController().signal });
  return importInto(instance, { orgs: decoded, caller: seeder, pace, events: false });
}

/** Removes a user, as the service does: an event stays, and the id may be used again (service behaviour 2.3). */
export function removeUser({ store }: Instance, userId: string): void {
  const orgId = store.state.userOrgs.get(userId);
  if (orgId === undefined) return;
  const sequence = store.state.events.lastSequence(userId) + 1;
  const about = { aggregateType: "user", aggregateId: userId, orgId, editor: "orgferry", sequence };
  store.change({ do: "remove-user", id: userId });
  store.push([{ type: "user.removed", ...about }]);
  store.commit();
}

/** Removes an organization; neither its id nor the ids in it can be used again (service behaviour 2.3). */
export function removeOrg({ store }: Instance, orgId: string): void {
  if (!store.state.orgs.has(orgId)) return;
  const sequence = store.state.events.lastSequence(orgId) + 1;
  store.change({ do: "remove-org", id: orgId });
  store.push([{ type: "org.removed", aggregateType: "org", aggregateId: orgId, orgId, editor: "orgferry", sequence }]);
  store.commit();
}
