import { type JsonObject, parseStored, textAt } from "../../messages/json.ts";
import type { Org, UserField } from "../../state/state.ts";
import { loginNamerOf } from "../view.ts";

/** Where a user is, and the entry if it was read already: a page of a list needs only its own. */
export interface FoundUser {
  readonly id: string;
  readonly org: Org;
  readonly field: UserField;
  readonly entry?: JsonObject;
}

/** The login names of one who has that user name. */
export type LoginNames = (user: FoundUser, userName: string) => readonly string[];

/** Looks once at what decides over login names in an organization. Who is nameless has none. */
export function loginNamesWithout(nameless: ReadonlySet<string>): LoginNames {
  const namers = new Map<Org, (userName: string) => readonly string[]>();
  return ({ id, org }, userName) => {
    if (nameless.has(id)) return [];
    const namer = namers.get(org) ?? loginNamerOf(org);
    namers.set(org, namer);
    return namer(userName);
  };
}

/** A user who may fit a search. What no query asks for is not read. */
export class Candidate {
  readonly found: FoundUser;
  readonly #loginNames: LoginNames;
  #entry: JsonObject | undefined;
  #names: readonly string[] | undefined;

  constructor(found: FoundUser, loginNames: LoginNames) {
    this.found = found;
    this.#loginNames = loginNames;
    this.#entry = found.entry;
  }

  get entry(): JsonObject {
    const { id, org, field } = this.found;
    this.#entry ??= parseStored(org.lists.get(field)?.get(id) ?? "{}");
    return this.#entry;
  }

  get loginNames(): readonly string[] {
    this.#names ??= this.#loginNames(this.found, textAt(this.entry, "user", "userName"));
    return this.#names;
  }
}
