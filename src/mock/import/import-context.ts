import type { ServiceFault } from "../http/answer.ts";
import type { Caller } from "../http/auth.ts";
import type { JsonObject, JsonValue } from "../http/json.ts";
import type { Pace } from "../http/pace.ts";
import type { Instance } from "../state/instance.ts";
import type { Org } from "../state/state.ts";

/** What all organizations of one import call share. */
export interface ImportSettings extends Pick<Instance, "store" | "traits" | "seed" | "domain" | "verifiers"> {
  readonly caller: Caller;
  /** The organization of the caller. */
  readonly callerOrg: Org | undefined;
  /** false: an instance import, whose objects arrive without events (spec: Events). */
  readonly events: boolean;
  readonly pace: Pace;
  /** The fault of a hash that the instance does not take. */
  faultOfHash(hash: string): ServiceFault | undefined;
}

/** The context of one organization in one import call. */
export interface ImportContext extends ImportSettings {
  readonly org: Org;
  fail(type: string, id: string, cause: ServiceFault): void;
  /** Adds an item to a list of the organization's success entry. */
  succeed(list: string, item: JsonValue): void;
  /** The items in such a list so far. */
  succeeded(list: string): readonly JsonValue[];
}

/** One kind of entry of an organization, in the order of service behaviour 2.1. */
export interface ImportStep {
  /** The field of the organization document. */
  readonly field: string;
  /** A promise only where a hash is computed first. */
  run(context: ImportContext, entry: JsonObject): void | Promise<void>;
}
