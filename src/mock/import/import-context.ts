import type { Caller } from "../http/auth.ts";
import type { JsonObject, JsonValue } from "../protojson/json-value.ts";
import type { Org } from "../state/state.ts";
import type { Store } from "../state/store.ts";

/**
 * Which of two truths the mock follows where the specification and the real service differ: object storage of an export, a
 * string as data_orgsv1, events of an instance import, ids of machine users.
 */
export type Mimic = "specification" | "service";

/** What one import call knows about one organization. */
export interface ImportContext {
  readonly store: Store;
  readonly org: Org;
  readonly caller: Caller;
  readonly mimic: Mimic;
  /** false: an instance import, whose objects arrive without events (spec: Events). */
  readonly events: boolean;
  /** Identity providers of the instance itself, which links may name. */
  readonly instanceIdpIds: ReadonlySet<string>;
  fail(type: string, id: string, cause: ServiceFault): void;
  /** Puts an item into one list of the organization's success entry. */
  succeed(list: string, item: JsonValue): void;
}

/** An error of the service's command layer. */
export interface ServiceFault {
  readonly id: string;
  readonly key: string;
  readonly parent?: string;
}

/** How Go prints it: raw, never localized (service behaviour 2.2). */
export function faultText({ id, key, parent }: ServiceFault): string {
  return `ID=${id} Message=${key}${parent === undefined ? "" : ` Parent=(${parent})`}`;
}

/** One kind of entry of an organization, at its place in the order of service behaviour 2.1. */
export interface ImportStep {
  /** The field of the organization document. */
  readonly field: string;
  run(context: ImportContext, entry: JsonObject): void;
}
