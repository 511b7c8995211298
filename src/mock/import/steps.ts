import type { ServiceFault } from "../http/answer.ts";
import type { JsonObject, JsonValue } from "../http/json.ts";
import { formerKey, ownerKey } from "../state/keys.ts";
import type { Org } from "../state/state.ts";
import type { Traits } from "../state/traits.ts";
import { objectEvent } from "../users/belonging-events.ts";
import type { ImportContext, ImportStep } from "./import-context.ts";
import { objectEvents } from "./object-events.ts";

/** One setting of an organization. It fails only when it exists. */
export function setting(field: string, type: string, exists: ServiceFault): ImportStep {
  return {
    field,
    run({ store, org, fail, events, caller: { userId: editor } }, entry) {
      if (org.settings.has(field) || store.state.owners.has(formerKey(org.id, field)))
        return fail(type, org.id, exists);
      store.change({ do: "setting", org: org.id, field, value: entry });
      const name = type.replace("_policy", "").replace("_", ".");
      const event = objectEvent(`org.policy.${name}.added`, "org", org.id, entry);
      if (events) store.push([{ ...event, orgId: org.id, editor }]);
    },
  };
}

/** How one kind of listed objects is identified, checked and reported. */
export interface ListedKind {
  readonly field: string;
  /** `type` of its error entries (service behaviour 2.2). */
  readonly type: string;
  /** Its key in its organization. */
  readonly key: (entry: JsonObject) => string;
  /** `id` of its error entries; absent: the key. */
  readonly errorId?: (entry: JsonObject, org: Org) => string;
  /** Its unique id in the instance. It stays taken when its organization is deleted (0.11). */
  readonly unique?: (entry: JsonObject) => string;
  /** An object of another organization is not looked for: the call succeeds, and an event is written onto it (service behaviour 9.33). */
  readonly ignoresOtherOrgs?: true;
  readonly exists: ServiceFault;
  /** Whether an existing object is an error; default: always. */
  readonly isReported?: (traits: Traits) => boolean;
  /** Whether `exists` is checked before `missing`; default: true. */
  readonly existsFirst?: boolean;
  /** The fault of a reference to a missing object. */
  readonly missing?: (entry: JsonObject, context: ImportContext) => ServiceFault | undefined;
  /** A name that is unique for its kind in the organization. */
  readonly name?: { readonly of: (entry: JsonObject) => string; readonly taken: ServiceFault };
  readonly success: readonly [list: string, item: (entry: JsonObject) => JsonValue];
}

/** A step that refuses existing objects and objects with missing references, and stores all others. Faults: recordings 22–25, 49. */
export function listed(kind: ListedKind): ImportStep {
  const { field, key, unique, name, existsFirst = true } = kind;
  return {
    field,
    run(context, entry) {
      const { store, org, fail, succeed } = context;
      const { owners } = store.state;
      const id = unique && ownerKey(field, unique(entry));
      const push = (orgId: string): void => {
        const event = objectEvents[field]?.(entry, orgId);
        if (context.events && event !== undefined) store.push([{ ...event, orgId, editor: context.caller.userId }]);
      };
      const [list, item] = kind.success;
      const home = id && owners.get(id);
      const { writesOnto } = context.traits;
      if (kind.ignoresOtherOrgs && home !== undefined && home !== org.id && writesOnto !== "no user") {
        push(writesOnto === "in own org" ? home : org.id);
        succeed(list, item(entry));
        return;
      }
      const named = name && ownerKey(`${field} names`, JSON.stringify([org.id, name.of(entry).toLowerCase()]));
      const claims = [id, named].filter((claim) => claim !== undefined);
      const isExisting =
        org.lists.get(field)?.has(key(entry)) === true ||
        [formerKey(org.id, field, key(entry)), id].some((claim) => claim !== undefined && owners.has(claim));
      const exists = isExisting ? kind.exists : undefined;
      const unresolved = kind.missing?.(entry, context);
      const nameFault = named !== undefined && owners.has(named) ? name?.taken : undefined;
      const fault = (existsFirst ? (exists ?? unresolved) : (unresolved ?? exists)) ?? nameFault;
      if (fault !== undefined) {
        const isReported = fault !== kind.exists || kind.isReported?.(context.traits) !== false;
        if (isReported) fail(kind.type, kind.errorId?.(entry, org) ?? key(entry), fault);
        return;
      }
      for (const claim of claims) store.change({ do: "claim", key: claim, org: org.id });
      store.change({ do: "put", org: org.id, field, key: key(entry), entry });
      push(org.id);
      succeed(list, item(entry));
    },
  };
}
