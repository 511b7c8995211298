import type { Caller } from "../http/auth.ts";
import type { JsonObject, JsonValue } from "../messages/json.ts";
import type { Org } from "../state/state.ts";
import type { Store } from "../state/store.ts";
import type { Traits } from "../traits.ts";

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

/** An error of the service's command layer; without id: of a library, told as it is. */
export interface ServiceFault {
  readonly id?: string;
  readonly key: string;
  readonly parent?: string;
}

const TAKEN = 'ERROR: duplicate key value violates unique constraint "unique_constraints_pkey" (SQLSTATE 23505)';

/** Something that may be there once in an instance is there already (service behaviour 0.5; recordings 20, 36, 49). */
export function taken(key: string): ServiceFault {
  return { id: "V3-DKcYh", key, parent: TAKEN };
}

/** How Go prints it: raw, never localized (service behaviour 2.2). */
export function faultText({ id, key, parent }: ServiceFault): string {
  if (id === undefined) return key;
  return `ID=${id} Message=${key}${parent === undefined ? "" : ` Parent=(${parent})`}`;
}

/** One kind of entry of an organization, at its place in the order of service behaviour 2.1. */
export interface ImportStep {
  /** The field of the organization document. */
  readonly field: string;
  /** A promise only where something has to be computed first, such as a hash. */
  run(context: ImportContext, entry: JsonObject): void | Promise<void>;
}
