import type { Caller } from "./auth.ts";
import { importOrgs } from "./import-run.ts";
import type { Instance } from "./instance.ts";
import type { JsonObject } from "./json-value.ts";
import type { Pace } from "./pace.ts";

/** Runs an import. spec: objects of an instance import have no events, unless the service is mimicked. */
export function importInto(
  { store, mimic, seed }: Instance,
  { orgs, caller, pace, events }: { orgs: readonly JsonObject[]; caller: Caller; pace: Pace; events: boolean },
): Promise<JsonObject> {
  const instanceIdpIds = new Set(seed.instanceIdpIds);
  return importOrgs(orgs, { store, caller, mimic, events: events || mimic === "service", instanceIdpIds, pace });
}
