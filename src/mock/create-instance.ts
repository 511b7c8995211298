import { Refusal } from "./http/answer.ts";
import type { Caller } from "./http/auth.ts";
import { createBackground } from "./http/background.ts";
import { checkedFault } from "./http/explain.ts";
import { createFaults, type FaultInput } from "./http/faults.ts";
import { type JsonObject, listAt, textAt } from "./http/json.ts";
import { createPace, type Pace } from "./http/pace.ts";
import { importInto } from "./import/run.ts";
import { messageType } from "./messages/message-type.ts";
import { defaultOrg, OWNER, type ServiceUser } from "./state/default-org.ts";
import { generatedId } from "./state/generated-id.ts";
import type { Instance } from "./state/instance.ts";
import { createObjectStorage } from "./state/object-storage.ts";
import { openKeptState } from "./state/recorder.ts";
import { SeedMisfit } from "./state/seed.ts";
import { createState, type State } from "./state/state.ts";
import { createStore } from "./state/store.ts";

export interface InstanceOptions
  extends Pick<
    Instance,
    | ("traits" | "missing" | "verifiers" | "limits" | "maxRequestBytes" | "maxResponseBytes")
    | ("domain" | "origin" | "listensOn" | "stopping" | "now" | "note" | "log" | "seed")
  > {
  readonly token: string;
  readonly faults: readonly FaultInput[];
  readonly dataDir?: string;
}

/** Creates an instance from the kept state and the seed. Rejects when the import of an organization of the seed has errors. */
export async function createInstance(options: InstanceOptions): Promise<Instance> {
  const { now, note, dataDir } = options;
  const kept = dataDir === undefined ? undefined : openKeptState(dataDir);
  const instance: Instance = {
    store: createStore(now, kept?.state, kept?.recorder),
    grants: new Map(),
    storage: createObjectStorage(dataDir),
    background: createBackground(note),
    sourceJobs: new Map(),
    ...options,
    faults: createFaults(),
    async refill() {
      kept?.clear();
      instance.store = createStore(now, createState(), kept?.recorder);
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

/** Adds tokens, faults and organizations of the seed. Kept organizations are not changed. */
async function fill(instance: Instance, options: InstanceOptions): Promise<void> {
  const { seed, store } = instance;
  const owner = ownerOf(store.state, instance);
  giveGrants(instance, owner, options.token);
  instance.faults.clear();
  const faults = [...seed.faults, ...options.faults.map(checkedFault)];
  for (const fault of faults) instance.faults.add(fault);
  if (store.state.instance === undefined) await begin(instance, owner);
  const orgs = seed.orgs.filter(({ orgId }) => !store.state.orgs.has(orgId));
  if (orgs.length === 0) return; // without one, a start does not load the descriptors
  try {
    const error = listAt(await importDirectly(instance, orgs), "errors").find(isMisfit);
    if (error !== undefined)
      throw new SeedMisfit(`orgs: ${textAt(error, "type")} ${textAt(error, "id")}: ${textAt(error, "message")}`);
  } catch (error) {
    throw error instanceof Refusal ? new SeedMisfit(`orgs: ${error.message}`) : error;
  }
}

/** An export holds generated domains, which exist as soon as the organization does: they are no errors. */
function isMisfit(error: JsonObject): boolean {
  return !(textAt(error, "type").startsWith("domain") && textAt(error, "message").includes("Already"));
}

/** The service user of the instance's own token: the kept one, or a new one. */
function ownerOf(state: State, { traits }: Instance): ServiceUser {
  if (!traits.hasDefaultOrg) return { userId: OWNER, userName: OWNER };
  return { userId: state.userNames.get(OWNER) ?? generatedId(), userName: OWNER };
}

function giveGrants({ seed, grants }: Instance, owner: ServiceUser, token: string): void {
  grants.clear();
  grants.set(token, callerOf(owner));
  for (const { token: seeded, userId, roles, expiresAt } of seed.tokens) {
    grants.set(seeded, { userId, roles, ...(expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt) }) });
  }
}

/** Creates the default contents of a real instance. */
async function begin(instance: Instance, owner: ServiceUser): Promise<void> {
  const { store, seed, traits } = instance;
  if (!traits.hasDefaultOrg) {
    store.change({ do: "instance", id: generatedId(), defaultOrgId: "" });
    return;
  }
  const seeded = [
    ...seed.tokens,
    ...seed.clients.map(({ clientId, userId = clientId }) => ({ userId, userName: clientId })),
  ];
  const others = seeded.map(({ userId, userName = userId }) => ({ userId, userName }));
  const serviceUsers = [owner, ...new Map(others.map((user) => [user.userId, user])).values()];
  const org = defaultOrg(instance, serviceUsers);
  store.change({ do: "instance", id: generatedId(), defaultOrgId: textAt(org, "orgId") });
  // It is in the form in which messages are kept: decoding it would change nothing.
  await importInto(instance, { orgs: [org], pace: unlimited(), caller: callerOf(owner), events: true, isSeed: true });
}

function callerOf({ userId }: ServiceUser): Caller {
  return { userId, roles: ["IAM_OWNER"] };
}

/** Imports organizations in the shape of an export, without a request and without events. */
export async function importDirectly(instance: Instance, orgs: readonly object[]): Promise<JsonObject> {
  const type = await messageType("zitadel.admin.v1.ImportDataOrg");
  const decoded = listAt(type.toJson(type.decode(Buffer.from(JSON.stringify({ orgs })))), "orgs");
  const { store, traits } = instance;
  const userId = traits.hasDefaultOrg ? (store.state.userNames.get(OWNER) ?? OWNER) : OWNER;
  const caller = callerOf({ userId, userName: OWNER });
  return importInto(instance, { orgs: decoded, pace: unlimited(), caller, events: false, isSeed: true });
}

function unlimited(): Pace {
  return createPace({ timeoutMs: Number.POSITIVE_INFINITY, perUserMs: 0, signal: new AbortController().signal });
}
