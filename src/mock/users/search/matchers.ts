import { isObject, type JsonObject, listAt, textAt, textsAt, valueAt } from "../../messages/json.ts";
import type { Org } from "../../state/state.ts";
import { displayNameOf, stateOf, userOf } from "../human-user.ts";
import type { Candidate } from "./candidate.ts";
import { textMatcherOf } from "./text-query.ts";

/** Whether a user fits a query. */
export type Matches = (user: Candidate) => boolean;

/** Looks once at what is fixed in a query; what is about the organization alone is asked once for each of them. */
export function matcherOf(query: JsonObject): Matches {
  const [kind, value] = partsOf(query);
  const matches = plainMatcherOf(kind, value);
  return isAboutOrg(query) ? onceForEachOrg(matches) : matches;
}

/** Its only member: which query it is, and what that looks for. */
function partsOf(query: JsonObject): readonly [kind: string, value: JsonObject] {
  const [[kind, value] = ["", {}]] = Object.entries(query);
  return [kind, isObject(value) ? value : {}];
}

/** Whether nothing of the user itself is looked at. */
function isAboutOrg(query: JsonObject): boolean {
  const [kind, value] = partsOf(query);
  if (kind === "orQuery" || kind === "andQuery") return listAt(value, "queries").every(isAboutOrg);
  const inner = valueAt(value, "query");
  return kind === "organizationIdQuery" || (kind === "notQuery" && isObject(inner) && isAboutOrg(inner));
}

function onceForEachOrg(matches: Matches): Matches {
  const known = new Map<Org, boolean>();
  return (user) => {
    const fits = known.get(user.found.org) ?? matches(user);
    known.set(user.found.org, fits);
    return fits;
  };
}

function plainMatcherOf(kind: string, value: JsonObject): Matches {
  const nested = listAt(value, "queries").map(matcherOf);
  switch (kind) {
    case "organizationIdQuery":
      return ({ found }) => found.org.id === textAt(value, "organizationId");
    case "inUserIdsQuery":
      return isIn(textsAt(value, "userIds"), ({ found }) => found.id);
    case "inUserEmailsQuery":
      return isIn(textsAt(value, "userEmails"), emailOf);
    case "stateQuery":
      return ({ entry }) => stateOf(entry) === textAt(value, "state");
    case "typeQuery":
      return ({ found }) => (found.field === "humanUsers" ? "TYPE_HUMAN" : "TYPE_MACHINE") === textAt(value, "type");
    case "orQuery":
      return (user) => nested.some((fits) => fits(user));
    case "andQuery":
      return (user) => nested.every((fits) => fits(user));
    case "notQuery": {
      const inner = valueAt(value, "query");
      const fits = isObject(inner) ? matcherOf(inner) : undefined;
      return (user) => fits?.(user) !== true;
    }
    default: {
      const fits = textMatcherOf(value);
      return (user) => textsOf(kind, user).some(fits);
    }
  }
}

function isIn(texts: readonly string[], textOf: (user: Candidate) => string): Matches {
  const wanted = new Set(texts);
  return (user) => wanted.has(textOf(user));
}

/** What a query by text looks at. */
function textsOf(kind: string, user: Candidate): readonly string[] {
  const profile = valueAt(userOf(user.entry), "profile");
  switch (kind) {
    case "userNameQuery":
      return [textAt(user.entry, "user", "userName")];
    case "loginNameQuery":
      return user.loginNames;
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

function emailOf({ entry }: Candidate): string {
  return textAt(entry, "user", "email", "email");
}
