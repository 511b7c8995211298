import { isObject, type JsonObject, listAt, textAt, textsAt, valueAt } from "../http/json.ts";
import { type StoredUser, storedUsers } from "../state/lookup.ts";
import type { State } from "../state/state.ts";
import { datesOfUser } from "./details.ts";
import type { Gaps } from "./gaps.ts";
import { displayNameOf, stateOf, userOf } from "./human-user.ts";
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
  const columnOf = columns[textAt(request, "sortingColumn")];
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

const columns: Readonly<Record<string, (user: StoredUser, state: State) => string | number>> = {
  USER_FIELD_NAME_USER_NAME: ({ entry }) => textAt(entry, "user", "userName").toLowerCase(),
  USER_FIELD_NAME_FIRST_NAME: ({ entry }) => profileText(entry, "firstName").toLowerCase(),
  USER_FIELD_NAME_LAST_NAME: ({ entry }) => profileText(entry, "lastName").toLowerCase(),
  USER_FIELD_NAME_NICK_NAME: ({ entry }) => profileText(entry, "nickName").toLowerCase(),
  USER_FIELD_NAME_DISPLAY_NAME: ({ entry }) => displayNameOf(entry).toLowerCase(),
  USER_FIELD_NAME_EMAIL: ({ entry }) => emailOf(entry).toLowerCase(),
  USER_FIELD_NAME_STATE: ({ entry }) => stateOf(entry),
  USER_FIELD_NAME_TYPE: ({ field }) => field,
  USER_FIELD_NAME_CREATION_DATE: ({ id }, state) => datesOfUser(state, id).added?.at ?? 0,
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
      return ({ entry }) => fits(textFor(kind, entry));
    }
  }
}

function isIn(texts: readonly string[], textOf: (user: StoredUser) => string): Matcher {
  const wanted = new Set(texts);
  return (user) => wanted.has(textOf(user));
}

/** The text that a query compares. */
function textFor(kind: string, entry: JsonObject): string {
  switch (kind) {
    case "userNameQuery":
      return textAt(entry, "user", "userName");
    case "firstNameQuery":
      return profileText(entry, "firstName");
    case "lastNameQuery":
      return profileText(entry, "lastName");
    case "nickNameQuery":
      return profileText(entry, "nickName");
    case "displayNameQuery":
      return displayNameOf(entry);
    case "emailQuery":
      return emailOf(entry);
    default:
      return textAt(entry, "user", "phone", "phone");
  }
}

function profileText(entry: JsonObject, field: string): string {
  return textAt(userOf(entry), "profile", field);
}

function emailOf(entry: JsonObject): string {
  return textAt(entry, "user", "email", "email");
}
