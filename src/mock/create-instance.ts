import { importInto } from "./admin-calls.ts";
import type { Caller } from "./auth.ts";
import { decodeBody } from "./decode.ts";
import { createFaults, Fault, type FaultInput } from "./faults.ts";
import type { Mimic } from "./import-context.ts";
import type { Instance } from "./instance.ts";
import { type JsonObject, listAt } from "./json-value.ts";
import { createMessageTable, messageNamed } from "./message-table.ts";
import { createPace } from "./pace.ts";
import type { Seed } from "./seed.ts";
import { createStore } from "./store.ts";

export interface InstanceOptions {
  readonly seed: Seed;
  readonly mimic: Mimic;
  readonly maxRequestBytes: number;
  readonly now: () => Date;
  readonly note: (line: string) => void;
}

export function createInstance(options: InstanceOptions): Instance {
  const store = createStore({ now: options.now });
  return { table: createMessageTable(), store, grants: new Map(), faults: createFaults(), ...options };
}

/** Puts in what the seed and the options say: tokens, faults, organizations. Rejects when an organization does not fit. */
export async function fillInstance(
  instance: Instance,
  { token, faults }: { token: string; faults: readonly FaultInput[] },
): Promise<void> {
  const { seed, grants, store } = instance;
  grants.set(token, { userId: "orgferry", roles: ["IAM_OWNER"] });
  for (const { token: seeded, userId, roles, expiresAt } of seed.tokens) {
    grants.set(seeded, { userId, roles, ...(expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt) }) });
  }
  for (const fault of [...seed.faults, ...faults.map((input) => Fault.parse(input))]) instance.faults.add(fault);
  const orgs = seed.orgs.filter(({ orgId }) => !store.state.orgs.has(orgId));
  const result = await importDirectly(instance, orgs);
  const [error] = listAt(result, "errors");
  if (error !== undefined) throw new Error(`the seed's organizations do not fit: ${JSON.stringify(error)}`);
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
