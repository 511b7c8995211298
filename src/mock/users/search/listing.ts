import { type JsonObject, listAt, textAt, valueAt } from "../../messages/json.ts";
import { type StoredUser, storedUser } from "../../state/lookup.ts";
import type { State } from "../../state/state.ts";
import { datesOfUser } from "../details.ts";
import type { Gaps } from "../gaps.ts";
import { displayNameOf, stateOf } from "../human-user.ts";
import { findUsers } from "./find.ts";

interface KeptList {
  readonly key: string;
  readonly changes: number;
  readonly ids: readonly string[];
}

const kept = new WeakMap<State, KeptList>();

/**
 * Ids of the users that a list is about, in its order. They are kept for the next page as long as nothing changes: the thousand
 * pages of a million users are one search. What is read with gaps is neither kept nor taken from there.
 */
export function listedIds(request: JsonObject, state: State, gaps: Gaps): readonly string[] {
  const { query, ...rest } = request;
  const key = JSON.stringify([rest, valueAt(query, "asc") === true]);
  const isWhole = gaps.hidden.size === 0 && gaps.nameless.size === 0;
  const last = kept.get(state);
  if (isWhole && last?.key === key && last.changes === state.changes) return last.ids;
  const ids = sorted(request, state, gaps);
  if (isWhole) kept.set(state, { key, changes: state.changes, ids });
  return ids;
}

/** By id, or by what a column holds, where the ids decide between equals; turned around unless `asc` (recordings search). */
function sorted(request: JsonObject, state: State, gaps: Gaps): readonly string[] {
  const ids = Array.from(findUsers(state, listAt(request, "queries"), gaps), ({ id }) => id).sort();
  const columnOf = columns[textAt(request, "sortingColumn")];
  const inOrder = columnOf === undefined ? ids : byColumn(ids, (id) => columnOf(id, state));
  return valueAt(request, "query", "asc") === true ? inOrder : inOrder.reverse();
}

function byColumn(ids: string[], columnOf: (id: string) => string | number): string[] {
  const keys = new Map(ids.map((id) => [id, columnOf(id)]));
  const compared = (one: string | number, other: string | number): number => (one < other ? -1 : one > other ? 1 : 0);
  return ids.sort((one, other) => compared(keys.get(one) ?? "", keys.get(other) ?? ""));
}

const text =
  (textOf: (user: StoredUser) => string) =>
  (id: string, state: State): string => {
    const user = storedUser(state, id);
    return user === undefined ? "" : textOf(user).toLowerCase();
  };
const profileText = (key: string) => text(({ entry }) => textAt(entry, "user", "profile", key));

const columns: Readonly<Record<string, (id: string, state: State) => string | number>> = {
  USER_FIELD_NAME_USER_NAME: text(({ entry }) => textAt(entry, "user", "userName")),
  USER_FIELD_NAME_FIRST_NAME: profileText("firstName"),
  USER_FIELD_NAME_LAST_NAME: profileText("lastName"),
  USER_FIELD_NAME_NICK_NAME: profileText("nickName"),
  USER_FIELD_NAME_DISPLAY_NAME: text(({ entry }) => displayNameOf(entry)),
  USER_FIELD_NAME_EMAIL: text(({ entry }) => textAt(entry, "user", "email", "email")),
  USER_FIELD_NAME_STATE: text(({ entry }) => stateOf(entry)),
  USER_FIELD_NAME_TYPE: text(({ field }) => field),
  USER_FIELD_NAME_CREATION_DATE: (id, state) => datesOfUser(state, id).added?.at ?? 0,
};
