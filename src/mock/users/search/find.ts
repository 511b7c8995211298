import { isObject, type JsonObject, textAt, textsAt, valueAt } from "../../messages/json.ts";
import { uniqueName, userLoginMustBeDomain } from "../../state/keys.ts";
import { storedUser } from "../../state/lookup.ts";
import type { Org, State } from "../../state/state.ts";
import type { Gaps } from "../gaps.ts";
import { domainsOf } from "../view.ts";
import { Candidate, type FoundUser, loginNamesWithout } from "./candidate.ts";
import { type Matches, matcherOf } from "./matchers.ts";

/** Users of the given queries, which all have to fit, in no order. Who is hidden is left out. */
export function* findUsers(
  state: State,
  queries: readonly JsonObject[],
  { hidden, nameless }: Pick<Gaps, "hidden" | "nameless">,
): Generator<FoundUser> {
  const matches = queries.filter((query) => query["organizationIdQuery"] === undefined).map(matcherOf);
  const loginNames = loginNamesWithout(nameless);
  for (const found of candidates(state, queries)) {
    if (hidden.has(found.id)) continue;
    if (matches.length === 0 || fitAll(matches, new Candidate(found, loginNames))) yield found;
  }
}

function fitAll(matches: readonly Matches[], user: Candidate): boolean {
  return matches.every((fits) => fits(user));
}

/** Those whom an index knows, or everybody: in the one organization that is asked for, or in all. */
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
