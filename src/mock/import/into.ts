import type { Caller } from "../http/auth.ts";
import type { JsonObject } from "../http/json.ts";
import type { Pace } from "../http/pace.ts";
import { hashFault } from "../state/hash-limits.ts";
import type { Instance } from "../state/instance.ts";
import { importOrgs } from "./run.ts";

export interface ImportCall {
  readonly orgs: readonly JsonObject[];
  readonly caller: Caller;
  /** The organization in the header; absent: the caller's organization. */
  readonly orgId?: string | undefined;
  readonly pace: Pace;
  readonly events: boolean;
  /** The organizations are the first contents of the instance: hashes are not checked. */
  readonly isSeed?: boolean;
}

/** Runs an import. spec: Events; objects of an instance import have no events, except in the modes of the real service. */
export function importInto(
  instance: Instance,
  { orgs, caller, orgId, pace, events, isSeed = false }: ImportCall,
): Promise<JsonObject> {
  const { store, traits, seed, domain } = instance;
  const instanceIdpIds = new Set(seed.instanceIdpIds);
  const hasEvents = events || traits.instanceImportHasEvents;
  const faultOfHash = (hash: string) => (traits.checksHashes && !isSeed ? hashFault(hash, instance) : undefined);
  const callerOrgId = orgId ?? store.state.userOrgs.get(caller.userId) ?? "";
  return importOrgs(orgs, {
    faultOfHash,
    verifiers: instance.verifiers,
    store,
    caller,
    callerOrgId,
    traits,
    domain,
    events: hasEvents,
    instanceIdpIds,
    pace,
  });
}
