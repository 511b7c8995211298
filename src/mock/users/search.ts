import { isObject, type JsonObject, listAt, textAt, textsAt, valueAt } from "../http/json.ts";
import { type StoredUser, storedUsers } from "../state/lookup.ts";
import type { State } from "../state/state.ts";
import { datesOfUser } from "./details.ts";
import type { Gaps } from "./gaps.ts";
import { displayNameOf, stateOf } from "./human-user.ts";
import { textMatcherOf } from "./text-query.ts";
import { loginNamesOf } from "./view.ts";

/**
 * The users that a ListUsersRequest asks for. Sorted by id, or by a column where the ids decide between equals; descending unless
 * `asc` (recordings search).
 */
export function searchUsers(request: JsonObject, state: State, { hidden, nameless }: Gaps): readonly StoredUser[] {
  const matches = listAt(request, "queries").map((query) => matcherOf(query, nameless));
  const found = storedUsers(state).filter((user) => !hidden.has(user.id) && matches.every((fits) => fits(user)));
  const sorted = found.sort((one, other) => compared(one.id, other.id));
  const column = textAt(request, "sortingColumn").replace("USER_FIELD_NAME_", "").toLowerCase();
  const columnOf = columns[column.replace(/_(.)/g, (_all, letter: string) => letter.toUpperCase())];
  if (columnOf !== undefined) {
    const keys = new Map(found.map((user) => [user, columnOf(user, state)]));
    sorted.sort((one, other) => compared(keys.get(one) ?? "", keys.get(other) ?? ""));
  }
  return valueAt(request, "query", "asc") === true ? sorted : sorted.reverse();
}

/** Users who sign in with that name, in any case (probed on v4 and v2). */
export function usersByLoginName(state: State, name: string): readonly StoredUser[] {
  return storedUsers(state).filter((user) =>
    loginNamesOf(user).some((loginName) => loginName.toLowerCase() === name.toLowerCase()),
  );
}

function compared(one: string | number, other: string | number): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** The texts that users are searched and sorted by, by their names in queries: `userNameQuery`. */
const texts: Readonly<Record<string, (entry: JsonObject) => string>> = {
  userName: (entry) => textAt(entry, "user", "userName"),
  firstName: (entry) => textAt(entry, "user", "profile", "firstName"),
  lastName: (entry) => textAt(entry, "user", "profile", "lastName"),
  nickName: (entry) => textAt(entry, "user", "profile", "nickName"),
  displayName: displayNameOf,
  email: emailOf,
  phone: (entry) => textAt(entry, "user", "phone", "phone"),
};

const sortingTexts = Object.entries(texts).map(([name, textOf]) => [
  name,
  ({ entry }: StoredUser) => textOf(entry).toLowerCase(),
]);

const columns: Readonly<Record<string, (user: StoredUser, state: State) => string | number>> = {
  ...Object.fromEntries(sortingTexts),
  state: ({ entry }) => stateOf(entry),
  type: ({ field }) => field,
  creationDate: ({ id }, state) => datesOfUser(state, id).added?.at ?? 0,
};

type Matcher = (user: StoredUser) => boolean;

/** A query has one member: its kind, with the value it looks for. */
function matcherOf(query: JsonObject, nameless: ReadonlySet<string>): Matcher {
  const [[kind, given] = ["", {}]] = Object.entries(query);
  const value = isObject(given) ? given : {};
  const nested = listAt(value, "queries").map((inner) => matcherOf(inner, nameless));
  switch (kind) {
    case "organizationIdQuery":
      return ({ org }) => org.id === textAt(value, "organizationId");
    case "inUserIdsQuery":
      return isIn(textsAt(value, "userIds"), ({ id }) => id);
    case "inUserEmailsQuery":
      return isIn(textsAt(value, "userEmails"), ({ entry }) => emailOf(entry));
    case "stateQuery":
      return ({ entry }) => stateOf(entry) === textAt(value, "state");
    case "typeQuery":
      return ({ field }) => (field === "humanUsers" ? "TYPE_HUMAN" : "TYPE_MACHINE") === textAt(value, "type");
    case "orQuery":
      return (user) => nested.some((fits) => fits(user));
    case "andQuery":
      return (user) => nested.every((fits) => fits(user));
    case "notQuery": {
      const { query: inner } = value;
      const fits = isObject(inner) ? matcherOf(inner, nameless) : undefined;
      return (user) => fits?.(user) !== true;
    }
    case "loginNameQuery": {
      const fits = textMatcherOf(value);
      return (user) => !nameless.has(user.id) && loginNamesOf(user).some(fits);
    }
    default: {
      const fits = textMatcherOf(value);
      const textOf = texts[kind.replace(/Query$/, "")];
      return ({ entry }) => fits(textOf?.(entry) ?? "");
    }
  }
}

function isIn(texts: readonly string[], textOf: (user: StoredUser) => string): Matcher {
  const wanted = new Set(texts);
  return (user) => wanted.has(textOf(user));
}

function emailOf(entry: JsonObject): string {
  return textAt(entry, "user", "email", "email");
}
