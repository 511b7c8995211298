import type { Verifier } from "../api.ts";
import type { ServiceFault } from "../http/answer.ts";
import type { Caller } from "../http/auth.ts";
import type { JsonObject, JsonValue } from "../http/json.ts";
import type { Org } from "../state/state.ts";
import type { Store } from "../state/store.ts";
import type { Traits } from "../state/traits.ts";

/** The context of one organization in one import call. */
export interface ImportContext {
  readonly store: Store;
  readonly org: Org;
  readonly caller: Caller;
  /** The organization of the caller. */
  readonly callerOrg: Org | undefined;
  readonly traits: Traits;
  /** false: an instance import, whose objects arrive without events (spec: Events). */
  readonly events: boolean;
  /** Identity providers of the instance itself, which links may refer to. */
  readonly instanceIdpIds: ReadonlySet<string>;
  /** Algorithms that the instance can verify passwords with. */
  readonly verifiers: readonly Verifier[];
  /** The fault of a hash that the instance does not take. */
  faultOfHash(hash: string): ServiceFault | undefined;
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
