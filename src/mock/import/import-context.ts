import type { Caller } from "../http/auth.ts";
import type { JsonObject, JsonValue } from "../http/json.ts";
import type { Org } from "../state/state.ts";
import type { Store } from "../state/store.ts";
import type { Traits } from "../state/traits.ts";
import type { ServiceFault } from "../users/service-fault.ts";

/** What one import call knows about one organization. */
export interface ImportContext {
  readonly store: Store;
  readonly org: Org;
  readonly caller: Caller;
  /** The organization that the caller acts in. */
  readonly callerOrg: Org | undefined;
  readonly traits: Traits;
  /** false: an instance import, whose objects arrive without events (spec: Events). */
  readonly events: boolean;
  /** Identity providers of the instance itself, which links may name. */
  readonly instanceIdpIds: ReadonlySet<string>;
  fail(type: string, id: string, cause: ServiceFault): void;
  /** Puts an item into one list of the organization's success entry. */
  succeed(list: string, item: JsonValue): void;
  /** What was put into one of them so far. */
  succeeded(list: string): readonly JsonValue[];
}

/** One kind of entry of an organization, at its place in the order of service behaviour 2.1. */
export interface ImportStep {
  /** The field of the organization document. */
  readonly field: string;
  /** A promise only where something has to be computed first, such as a hash. */
  run(context: ImportContext, entry: JsonObject): void | Promise<void>;
}
