import { type Answer, jsonAnswer, Refusal } from "../../http/answer.ts";
import type { Caller } from "../../http/auth.ts";
import { isObject, type JsonObject, listAt, textAt, textsAt, valueAt } from "../../http/json.ts";
import { metadataChange, metadataKey, metadataValue, writtenValue } from "../../import/user-kinds.ts";
import type { Call, Instance } from "../../state/instance.ts";
import type { StoredUser } from "../../state/lookup.ts";
import type { State } from "../../state/state.ts";
import { timestampOf } from "../../state/timestamp.ts";
import { isSkipped } from "../../users/gaps.ts";
import { textMatcherOf } from "../../users/text-query.ts";
import { pageOf } from "../shared/page.ts";
import { acceptBareUserCall, acceptUserCall, acceptUserSearch, changeUser, eventsOf, missingUser } from "./target.ts";

const MISSING = missingUser("COMMAND-uXHNj", "User could not be found", "failedPrecondition");
const EMPTY = missingUser("META-9mm2d", "Metadata list is empty", "failedPrecondition");
const LIMIT = 100;

/**
 * `POST /v2/users/{id}/metadata`, and the older `POST /management/v1/users/{id}/metadata/_bulk`: an equal value
 * writes no event (probed on v4); 2.62 writes one.
 */
export async function setMetadata(call: Call, instance: Instance): Promise<Answer> {
  const message = "zitadel.user.v2.SetUserMetadataRequest";
  const { user, caller, request } = await acceptUserCall(call, instance, message, MISSING);
  const entries = listAt(request, "metadata");
  if (entries.length === 0) throw EMPTY();
  const event = eventsOf(user, caller);
  const changed = entries.filter(
    (entry) =>
      !instance.traits.hasUserMetadata || writtenValue(instance, user, textAt(entry, "key")) !== textAt(entry, "value"),
  );
  const { state } = instance.store;
  if (changed.length > 0 && isSkipped("userMetadata", user.id, state)) state.skipped.delete(user.id);
  for (const { key, value } of changed) {
    const change = metadataChange({ id: user.id, key, value });
    instance.store.change({ do: "put", org: user.org.id, ...change });
  }
  changeUser(instance, user, { events: changed.map(({ key, value }) => event("user.metadata.set", { key, value })) });
  return jsonAnswer({ setDate: lastChange(instance, user) });
}

/** `DELETE /v2/users/{id}/metadata?keys=…`: deletes all of the keys or none. */
export async function deleteMetadata(call: Call, instance: Instance): Promise<Answer> {
  const keys = call.query.getAll("keys");
  const { user, caller } = acceptBareUserCall(call, instance, keys.length === 0 ? EMPTY : MISSING);
  return deleteKeys(keys, user, caller, instance);
}

/** `DELETE /management/v1/users/{id}/metadata/_bulk {keys}`: the same (probed on 2.62). */
export async function deleteMetadataInBulk(call: Call, instance: Instance): Promise<Answer> {
  const message = "zitadel.management.v1.BulkRemoveUserMetadataRequest";
  const { user, caller, request } = await acceptUserCall(call, instance, message, MISSING);
  return deleteKeys(textsAt(request, "keys"), user, caller, instance);
}

function deleteKeys(keys: readonly string[], user: StoredUser, caller: Caller, instance: Instance): Answer {
  if (keys.length === 0) throw EMPTY();
  if (keys.some((key) => writtenValue(instance, user, key) === undefined)) {
    throw new Refusal("notFound", "One or more keys do not exist", "META-2nnds");
  }
  for (const key of keys) {
    instance.store.change({ do: "drop", org: user.org.id, field: "userMetadata", key: metadataKey(user.id, key) });
  }
  const event = eventsOf(user, caller);
  changeUser(instance, user, { events: keys.map((key) => event("user.metadata.removed", { key })) });
  return jsonAnswer({ deletionDate: lastChange(instance, user) });
}

/** `POST /v2/users/{id}/metadata/search`: the newest first unless `asc`; an empty list for an unknown user. */
export async function searchMetadata(call: Call, instance: Instance): Promise<Answer> {
  const { request, user } = await acceptUserSearch(call, instance, "zitadel.user.v2.ListUserMetadataRequest");
  const filters = listAt(request, "filters").flatMap(({ keyFilter }) =>
    isObject(keyFilter) ? [textMatcherOf(keyFilter)] : [],
  );
  const found = (user === undefined ? [] : metadataOf(instance.store.state, user)).filter(({ shown }) =>
    filters.every((fits) => fits(textAt(shown, "key"))),
  );
  const turn = valueAt(request, "pagination", "asc") === true ? 1 : -1;
  found.sort((one, other) => turn * (one.created - other.created));
  const { entries, limit, total } = pageOf(found, request["pagination"], { usual: LIMIT });
  return jsonAnswer({
    pagination: { ...total, appliedLimit: String(limit) },
    ...(entries.length === 0 ? {} : { metadata: entries.map(({ shown }) => shown) }),
  });
}

function lastChange({ store }: Instance, { id }: StoredUser): string {
  return timestampOf(store.state.events.latest(id, "user.metadata.set", "user.metadata.removed")?.at);
}

/** Each entry with its dates, in the order of creation; the dates are in the events alone. */
function metadataOf({ events }: State, user: StoredUser): { readonly created: number; readonly shown: JsonObject }[] {
  const dates = new Map<string, { created: number; changed: number }>();
  for (const { type, at, payload } of events.ofAggregate(user.id).toReversed()) {
    if (!type.startsWith("user.metadata.")) continue;
    const key = textAt(payload, "key");
    if (type === "user.metadata.removed") dates.delete(key);
    else dates.set(key, { created: dates.get(key)?.created ?? at, changed: at });
  }
  return [...dates].flatMap(([key, { created, changed }]) => {
    const value = metadataValue(user.org, user.id, key);
    if (value === undefined) return [];
    return [{ created, shown: { creationDate: timestampOf(created), changeDate: timestampOf(changed), key, value } }];
  });
}
