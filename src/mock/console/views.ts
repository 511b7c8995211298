import type { LoggedRequest } from "../api.ts";
import { textAt, valueAt } from "../http/json.ts";
import type { Instance } from "../state/instance.ts";
import { type StoredUser, storedUsers } from "../state/lookup.ts";
import { timestampOf } from "../state/timestamp.ts";
import { stateOf } from "../users/human-user.ts";
import { countMailsOf, mailsOf } from "../users/mails.ts";
import { count, counted, type Html, html } from "./html.ts";
import { type ConsoleQuery, hrefOf, type ViewName } from "./query.ts";

/** One tab of the console. */
export interface View {
  readonly name: string;
  /** The heads of the columns. */
  readonly columns: readonly string[];
  /** The columns that hold numbers. */
  readonly numbers?: readonly string[];
  /** Shown while there is nothing to list: the reason, and the command that changes it. */
  readonly empty: readonly [text: string, command: string];
  /** Everything that matches a query. */
  list(query: ConsoleQuery, instance: Instance): readonly Item[];
}

/** One row. The texts are searched; the cells, one for each column, are made for the rows of a page alone. */
export interface Item {
  readonly texts: readonly string[];
  cells(): readonly Html[];
}

export const views: Readonly<Record<ViewName, View>> = {
  orgs: {
    name: "Organizations",
    columns: ["Organization", "Users", "Machine users", "Projects"],
    empty: [
      "No organization yet. Start the mock with one, or copy some here:",
      "orgferry mock --org 1=Acme\n\n$TARGET\norgferry copy --source https://example.zitadel.cloud",
    ],
    list: (query, { store: { state } }) =>
      [...state.orgs.values()].map(({ id, name, lists }) => ({
        texts: [id, name],
        cells: () => [
          html`<bdi>${name}</bdi>${id === state.instance?.defaultOrgId ? html` <span class="tag">default</span>` : undefined}<br><code class="faint">${id}</code>`,
          html`<a href="${hrefOf(query, { view: "users", org: id, search: "" })}">${counted(lists.get("humanUsers")?.size ?? 0, "user")}</a>`,
          html`${count(lists.get("machineUsers")?.size ?? 0)}`,
          html`${count(lists.get("projects")?.size ?? 0)}`,
        ],
      })),
  },
  users: {
    name: "Users",
    columns: ["User", "E-mail", "State", "Hash", "Messages", "Organization"],
    numbers: ["Messages"],
    empty: ["No users yet. Import some:", "$TARGET\norgferry import importBody.json"],
    list: (query, instance) =>
      storedUsers(instance.store.state)
        .filter(({ org }) => query.org === "" || query.org === org.id)
        .map((user) => userItem(user, query, instance)),
  },
  events: {
    name: "Events",
    columns: ["Type", "Object", "Sequence", "Organization", "Time"],
    numbers: ["Sequence"],
    empty: ["No events yet. An import writes events:", "$TARGET\norgferry import importBody.json"],
    list: (query, { store }) =>
      store.state.events.all.toReversed().map(({ at, type, aggregateId, orgId, sequence }) => ({
        texts: [type, aggregateId, orgId],
        cells: () => [
          html`<code>${type}</code>`,
          html`<a href="${hrefOf(query, { search: aggregateId.toLowerCase() })}"><code>${aggregateId}</code></a>`,
          html`${sequence}`,
          html`<code>${orgId}</code>`,
          timeOf(timestampOf(at)),
        ],
      })),
  },
  mails: {
    name: "Messages",
    columns: ["To", "By", "Reason", "User", "Time"],
    empty: [
      "No e-mails or text messages. The service sends some to users without a password or with an unverified address:",
      "$TARGET\norgferry import importBody.json",
    ],
    list: (query, { store }) =>
      mailsOf(store.state).map(({ to, by, reason, userId, orgId, at }) => ({
        texts: [to, userId, orgId, reason],
        cells: () => [
          html`<bdi>${to}</bdi>`,
          html`${by === "sms" ? "SMS" : "e-mail"}`,
          html`${reason.replaceAll("-", " ")}`,
          html`<a href="${hrefOf(query, { view: "users", search: userId.toLowerCase() })}"><code>${userId}</code></a>`,
          timeOf(at),
        ],
      })),
  },
  requests: {
    name: "Requests",
    columns: ["Request", "Answer", "Time", "In", "Out"],
    numbers: ["Time", "In", "Out"],
    empty: [
      "No requests yet. Every command that calls an instance makes some:",
      "$TARGET\norgferry verify importBody.json",
    ],
    list: (_query, { log }) =>
      log.requests
        .filter(({ path }) => path !== "/" && path !== "/favicon.ico" && !path.startsWith("/ui/"))
        .toReversed()
        .map(requestItem),
  },
};

/** Never the hash itself, only its algorithm. */
function userItem({ id, org, field, entry }: StoredUser, query: ConsoleQuery, { store }: Instance): Item {
  const isMachine = field === "machineUsers";
  const { user } = entry;
  const userName = textAt(user, "userName");
  const email = textAt(user, "email", "email");
  const name =
    `${textAt(user, "profile", "firstName")} ${textAt(user, "profile", "lastName")}`.trim() || textAt(user, "name");
  const isVerified = valueAt(user, "email", "isEmailVerified") === true;
  const address =
    email === ""
      ? html`<span class="faint">${isMachine ? "machine user" : "none"}</span>`
      : html`<bdi>${email}</bdi> ${isVerified ? html`<span class="tag good">verified</span>` : html`<span class="tag open">not verified</span>`}`;
  return {
    texts: [id, userName, name, email, org.id],
    cells() {
      const messages = countMailsOf(store.state, id);
      const search = id.toLowerCase();
      return [
        html`<a href="${hrefOf(query, { view: "events", search })}"><bdi>${userName}</bdi></a> <bdi>${name}</bdi><br><code class="faint">${id}</code>`,
        address,
        stateTag(stateOf(entry).replace("USER_STATE_", "").toLowerCase()),
        html`${isMachine ? "" : algorithmOf(textAt(user, "hashedPassword", "value"))}`,
        messages === 0 ? html`0` : html`<a href="${hrefOf(query, { view: "mails", search })}">${messages}</a>`,
        html`<bdi>${org.name}</bdi>`,
      ];
    },
  };
}

function stateTag(state: string): Html {
  const tone = state === "active" ? "good" : state === "initial" ? "open" : "bad";
  return html`<span class="tag ${tone}">${state}</span>`;
}

/** The algorithm of a hash by its prefix, "none" without a hash. A value without a known prefix may be a secret: it is not shown. */
function algorithmOf(hash: string): string {
  if (hash === "") return "none";
  const [, modular, bracketed] = KNOWN_PREFIX.exec(hash) ?? [];
  const name = (modular ?? bracketed ?? "unknown").toLowerCase();
  return /^2[a-z]?$/.test(name) ? "bcrypt" : name;
}

const KNOWN_PREFIX =
  /^\$(2[a-z]?|argon2(?:id|i|d)|pbkdf2|scrypt|sha\d*|md5(?:plain|salted)?|phpass|drupal7|apr1|[1567yphs])[$-]|^\{(s?sha\d*|s?md5|crypt|pbkdf2)(?:-\w{1,12})?\}/i;

function requestItem({ method, path, status, ms, requestBytes, responseBytes, note }: LoggedRequest): Item {
  const isBad = typeof status === "string" || status >= 500;
  const tone = isBad ? "bad" : status >= 400 ? "open" : "good";
  return {
    texts: [method, path, String(status), note ?? ""],
    cells: () => [
      html`${method} <code>${path}</code>`,
      html`<span class="tag ${tone}">${status}</span>${note === undefined ? undefined : html` ${note}`}`,
      html`${count(ms)} ms`,
      html`${count(requestBytes)} B`,
      html`${count(responseBytes)} B`,
    ],
  };
}

/** On a phone it breaks between date and time. */
function timeOf(timestamp: string): Html {
  const [date = "", time = ""] = timestamp.split("T");
  return html`<time>${date}T<wbr>${time}</time>`;
}

/** The items of a view that match the query, in any case. */
export function found(query: ConsoleQuery, instance: Instance): readonly Item[] {
  const matches = (text: string): boolean => text.toLowerCase().includes(query.search);
  return views[query.view].list(query, instance).filter(({ texts }) => texts.some(matches));
}
