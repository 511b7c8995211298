import type { Caller } from "../http/auth.ts";
import type { Pace } from "../http/pace.ts";
import type { JsonObject } from "../protojson/json-value.ts";
import type { Instance } from "../state/instance.ts";
import { importOrgs } from "./run.ts";

/** Runs an import. spec: Events; objects of an instance import have no events, unless the service is mimicked. */
export function importInto(
  { store, mimic, seed }: Instance,
  { orgs, caller, pace, events }: { orgs: readonly JsonObject[]; caller: Caller; pace: Pace; events: boolean },
): Promise<JsonObject> {
  const instanceIdpIds = new Set(seed.instanceIdpIds);
  return importOrgs(orgs, { store, caller, mimic, events: events || mimic === "service", instanceIdpIds, pace });
}
