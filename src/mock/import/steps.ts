import { type JsonObject, type JsonValue, textAt } from "../protojson/json-value.ts";
import { type Org, ownerKey, type State } from "../state/state.ts";
import type { ImportStep, ServiceFault } from "./import-context.ts";

/** One setting of an organization: there already is the only way to fail. */
export function setting(field: string, type: string, exists: ServiceFault): ImportStep {
  return {
    field,
    run({ store, org, fail }, entry) {
      if (org.settings.has(field)) fail(type, org.id, exists);
      else store.change({ do: "setting", org: org.id, field, value: JSON.stringify(entry) });
    },
  };
}

/** Texts of one language: a later one takes the place of an earlier one (service behaviour 2.1). */
export function texts(field: string): ImportStep {
  return {
    field,
    run({ store, org }, entry) {
      const change = { field, key: textAt(entry, "language"), entry: JSON.stringify(entry) };
      store.change({ do: "put", org: org.id, ...change });
    },
  };
}

/** How one kind of listed object is told apart, checked and reported. */
export interface ListedKind {
  readonly field: string;
  /** `type` of its error entries (service behaviour 2.2). */
  readonly type: string;
  /** What identifies it in its organization. */
  readonly key: (entry: JsonObject) => string;
  /** `id` of its error entries, where that is not the key. */
  readonly errorId?: (entry: JsonObject, org: Org) => string;
  /** What nothing else in the instance may have: kind and id. Stays taken when its organization is removed (2.3). */
  readonly unique?: (entry: JsonObject) => readonly [kind: string, id: string];
  /** Assumed but where a test says otherwise: the specification shows none of these. */
  readonly exists: ServiceFault;
  /** What it refers to and does not find. */
  readonly missing?: (entry: JsonObject, state: State) => ServiceFault | undefined;
  readonly success: readonly [list: string, item: (entry: JsonObject) => JsonValue];
}

/** A step that refuses what is there already or refers to nothing, and keeps everything else. */
export function listed(kind: ListedKind): ImportStep {
  const { field, type, key, errorId = key, unique, missing, success } = kind;
  return {
    field,
    run({ store, org, fail, succeed }, entry) {
      const claimed = unique === undefined ? undefined : ownerKey(...unique(entry));
      const isThere =
        org.lists.get(field)?.has(key(entry)) === true || (claimed !== undefined && store.state.owners.has(claimed));
      const fault = isThere ? kind.exists : missing?.(entry, store.state);
      if (fault !== undefined) {
        fail(type, errorId(entry, org), fault);
        return;
      }
      if (claimed !== undefined) store.change({ do: "claim", key: claimed, org: org.id });
      store.change({ do: "put", org: org.id, field, key: key(entry), entry: JSON.stringify(entry) });
      succeed(success[0], success[1](entry));
    },
  };
}
