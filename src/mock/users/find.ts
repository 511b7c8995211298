import { isObject, type JsonObject, listAt, textAt, valueAt } from "../protojson/json-value.ts";
import { uniqueName, userLoginMustBeDomain } from "../state/keys.ts";
import { type StoredUser, storedUser } from "../state/lookup.ts";
import type { Org, State, UserField } from "../state/state.ts";
import { displayNameOf, stateOf, userOf } from "./human-user.ts";
import { domainsOf, loginNamesOf } from "./view.ts";

type Matches = (user: StoredUser) => boolean;

/** Users of the given queries, which all have to fit, in no order. Who is hidden is left out. */
export function* findUsers(
  state: State,
  queries: readonly JsonObject[],
  hidden: ReadonlySet<string>,
): Generator<FoundUser> {
  const matches = queries.filter(needsEntry).map(matcherOf);
  for (const found of candidates(state, queries)) {
    if (hidden.has(found.id)) continue;
    if (matches.length === 0) {
      yield found;
      continue;
    }
    const user = storedUser(state, found.id);
    if (user !== undefined && matches.every((fits) => fits(user))) yield found;
  }
}

/** A user whose entry was not read yet: a page of a list needs only its own. */
export interface FoundUser {
  readonly id: string;
  readonly org: Org;
  readonly field: UserField;
}

/** An organization alone needs no look into the entries. */
function needsEntry(query: JsonObject): boolean {
  return query["organizationIdQuery"] === undefined;
}

function* candidates(state: State, queries: readonly JsonObject[]): Generator<FoundUser> {
  const ids = queries.map((query) => idsOf(state, query)).find((found) => found !== undefined);
  const orgIds = queries.flatMap((query) => {
    const id = textAt(query, "organizationIdQuery", "organizationId");
    return id === "" ? [] : [id];
  });
  const isWanted = ({ id }: Org): boolean => orgIds.every((wanted) => wanted === id);
  if (ids !== undefined) {
    for (const id of ids) {
      const user = storedUser(state, id);
      if (user !== undefined && isWanted(user.org)) yield user;
    }
    return;
  }
  for (const org of [...state.orgs.values(), ...state.removedOrgs.values()]) {
    if (!isWanted(org)) continue;
    for (const field of ["humanUsers", "machineUsers"] as const) {
      for (const id of org.lists.get(field)?.keys() ?? []) yield { id, org, field };
    }
  }
}

/** The only users that can fit, where an index knows them: a million entries are not read for one name. */
function idsOf(state: State, query: JsonObject): readonly string[] | undefined {
  const ids = valueAt(query, "inUserIdsQuery");
  if (isObject(ids)) return [...new Set(textsAt(ids, "userIds"))];
  const [userName, loginName] = [exactText(query, "userName"), exactText(query, "loginName")];
  if (userName !== "") return idsByUserName(state, userName);
  return loginName === "" ? undefined : idsByLoginName(state, loginName);
}

/** What a query looks for as a whole; "" where it looks for a part, or for something else. */
function exactText(query: JsonObject, key: "userName" | "loginName"): string {
  const method = textAt(query, `${key}Query`, "method");
  const isExact = ["", "TEXT_QUERY_METHOD_EQUALS", "TEXT_QUERY_METHOD_EQUALS_IGNORE_CASE"].includes(method);
  return isExact ? textAt(query, `${key}Query`, key) : "";
}

function idsByUserName(state: State, name: string): readonly string[] {
  return idsInOrgs(state, (org) => state.userNames.get(uniqueName(org, name)));
}

/**
 * Ids of the users who sign in with that name, in any case. Where login names end in a domain of the organization, the bare user
 * name finds nobody (probed on v4 and v2).
 */
export function idsByLoginName(state: State, name: string): readonly string[] {
  const at = name.lastIndexOf("@");
  const [bare, domain] = [name.slice(0, Math.max(at, 0)), name.slice(at + 1).toLowerCase()];
  return idsInOrgs(state, (org) => {
    if (!userLoginMustBeDomain(org)) return state.userNames.get(uniqueName(org, name));
    return domainsOf(org).includes(domain) ? state.userNames.get(uniqueName(org, bare)) : undefined;
  });
}

function idsInOrgs(state: State, idIn: (org: Org) => string | undefined): readonly string[] {
  const found = [...state.orgs.values(), ...state.removedOrgs.values()].map(idIn);
  return [...new Set(found.filter((id) => id !== undefined))];
}

function textsAt(value: JsonObject, key: string): readonly string[] {
  const found = value[key];
  return Array.isArray(found) ? found.map(String) : [];
}

function matcherOf(query: JsonObject): Matches {
  const [[kind, given] = ["", {}]] = Object.entries(query);
  const value = isObject(given) ? given : {};
  const nested = (): readonly Matches[] => listAt(value, "queries").map(matcherOf);
  switch (kind) {
    case "organizationIdQuery":
      return ({ org }) => org.id === textAt(value, "organizationId");
    case "inUserIdsQuery":
      return ({ id }) => textsAt(value, "userIds").includes(id);
    case "inUserEmailsQuery":
      return (user) => textsAt(value, "userEmails").includes(emailOf(user));
    case "stateQuery":
      return ({ entry }) => stateOf(entry) === textAt(value, "state");
    case "typeQuery":
      return ({ field }) => (field === "humanUsers" ? "TYPE_HUMAN" : "TYPE_MACHINE") === textAt(value, "type");
    case "orQuery":
      return (user) => nested().some((fits) => fits(user));
    case "andQuery":
      return (user) => nested().every((fits) => fits(user));
    case "notQuery": {
      const inner = valueAt(value, "query");
      return (user) => !(isObject(inner) && matcherOf(inner)(user));
    }
    default:
      return (user) => textsOf(kind, user).some((text) => fitsText(text, value));
  }
}

/** What a query by text looks at. */
function textsOf(kind: string, user: StoredUser): readonly string[] {
  const profile = valueAt(userOf(user.entry), "profile");
  switch (kind) {
    case "userNameQuery":
      return [textAt(user.entry, "user", "userName")];
    case "loginNameQuery":
      return loginNamesOf(user);
    case "firstNameQuery":
      return [textAt(profile, "firstName")];
    case "lastNameQuery":
      return [textAt(profile, "lastName")];
    case "nickNameQuery":
      return [textAt(profile, "nickName")];
    case "displayNameQuery":
      return [displayNameOf(user.entry)];
    case "emailQuery":
      return [emailOf(user)];
    case "phoneQuery":
      return [textAt(user.entry, "user", "phone", "phone")];
    default:
      return [];
  }
}

function emailOf({ entry }: StoredUser): string {
  return textAt(entry, "user", "email", "email");
}

/** One text against the text and the method of a query. */
export function fitsText(text: string, query: JsonObject): boolean {
  const method = textAt(query, "method").replace(/^TEXT_(QUERY|FILTER)_METHOD_/, "") || "EQUALS";
  const [, wanted = ""] =
    Object.entries(query).find(([key, value]) => key !== "method" && typeof value === "string") ?? [];
  const ignoreCase = method.endsWith("_IGNORE_CASE");
  const [here, there] = [text, String(wanted)].map((one) => (ignoreCase ? one.toLowerCase() : one)) as [string, string];
  switch (method.replace("_IGNORE_CASE", "")) {
    case "STARTS_WITH":
      return here.startsWith(there);
    case "ENDS_WITH":
      return here.endsWith(there);
    case "CONTAINS":
      return here.includes(there);
    default:
      return here === there;
  }
}
