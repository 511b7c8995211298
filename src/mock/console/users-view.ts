import { type JsonObject, textAt, valueAt } from "../http/json.ts";
import type { Org, State, UserField } from "../state/state.ts";
import { userFields } from "../state/state.ts";
import { stateOf, userOf } from "../users/human-user.ts";
import { countMailsOf } from "../users/mails.ts";
import { type Html, html } from "./html.ts";
import { fits, hrefOf, type Looking } from "./looking.ts";
import { type Page, pager } from "./paging.ts";

/** A user as the console shows it: never a hash, only how it is made. */
interface ShownUser {
  readonly id: string;
  readonly userName: string;
  readonly name: string;
  readonly email: string;
  readonly isVerified: boolean;
  readonly state: string;
  readonly hash: string;
  readonly isMachine: boolean;
  readonly org: Org;
}

/** The users that are looked for, organization by organization. */
export function* findUsers(state: State, { wanted, org: only }: Pick<Looking, "wanted" | "org">): Generator<ShownUser> {
  for (const org of state.orgs.values()) {
    if (only !== "" && org.id !== only) continue;
    for (const field of userFields) {
      for (const [id, entry] of org.lists.get(field) ?? []) {
        const user = toShown(id, entry, org, field);
        if (fits([id, user.userName, user.name, user.email, org.id], wanted)) yield user;
      }
    }
  }
}

function toShown(id: string, entry: JsonObject, org: Org, field: UserField): ShownUser {
  const user = userOf(entry);
  const [first, last] = [textAt(user, "profile", "firstName"), textAt(user, "profile", "lastName")];
  return {
    id,
    userName: textAt(user, "userName"),
    name: `${first} ${last}`.trim() || textAt(user, "name"),
    email: textAt(user, "email", "email"),
    isVerified: valueAt(user, "email", "isEmailVerified") === true,
    state: stateOf(entry).replace("USER_STATE_", "").toLowerCase(),
    hash: algorithmOf(textAt(user, "hashedPassword", "value")),
    isMachine: field === "machineUsers",
    org,
  };
}

/** How a hash is made, by its prefix; "none" without one. Whatever has no name that is known may be a secret itself, and is not shown. */
function algorithmOf(hash: string): string {
  if (hash === "") return "none";
  const [, modular, bracketed] = KNOWN_PREFIX.exec(hash) ?? [];
  const name = (modular ?? bracketed ?? "unknown").toLowerCase();
  return /^2[a-z]?$/.test(name) ? "bcrypt" : name;
}

const KNOWN_PREFIX =
  /^\$(2[a-z]?|argon2(?:id|i|d)|pbkdf2|scrypt|sha\d*|md5(?:plain|salted)?|phpass|drupal7|apr1|[1567yphs])[$-]|^\{(s?sha\d*|s?md5|crypt|pbkdf2)(?:-\w{1,12})?\}/i;

export function usersTable(page: Page<ShownUser>, looking: Looking, state: State): Html {
  return html`<div class="scroll" role="group" aria-label="users" tabindex="0"><table><thead><tr><th scope="col">User</th><th scope="col">E-mail</th><th scope="col">State</th><th scope="col">Hash</th><th scope="col" class="number">Mails</th><th scope="col">Organization</th></tr></thead><tbody>
${page.rows.map((user) => userRow(user, looking, state))}</tbody></table></div>
${pager(page, (to) => hrefOf(looking, { page: to }))}`;
}

function userRow(
  { id, userName, name, email, isVerified, state: is, hash, isMachine, org }: ShownUser,
  looking: Looking,
  state: State,
): Html {
  const mails = countMailsOf(state, id);
  const address =
    email === ""
      ? html`<span class="faint">${isMachine ? "machine user" : "none"}</span>`
      : html`<bdi>${email}</bdi> ${isVerified ? html`<span class="tag good">verified</span>` : html`<span class="tag open">not verified</span>`}`;
  return html`<tr><th scope="row"><a href="${hrefOf(looking, { view: "events", wanted: id.toLowerCase() })}"><bdi>${userName}</bdi></a> <bdi>${name}</bdi><br><code class="faint">${id}</code></th><td data-head="E-mail">${address}</td><td data-head="State">${tagOf(is)}</td><td data-head="Hash">${isMachine ? "" : hash}</td><td data-head="Mails" class="number">${mails === 0 ? "0" : html`<a href="${hrefOf(looking, { view: "mails", wanted: id.toLowerCase() })}">${mails}</a>`}</td><td data-head="Organization"><bdi>${org.name}</bdi></td></tr>
`;
}

function tagOf(state: string): Html {
  const tone = state === "active" ? "good" : state === "initial" ? "open" : "bad";
  return html`<span class="tag ${tone}">${state}</span>`;
}
