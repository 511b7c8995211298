import { createHash } from "node:crypto";
import type { Answer } from "../http/answer.ts";
import type { Call, Instance } from "../state/instance.ts";
import { emptyState } from "./empty-state.ts";
import { counted, type Html, html } from "./html.ts";
import { eventsTable, findEvents, findMails, findOrgs, mailsTable, orgsTable } from "./lists.ts";
import { hrefOf, type Looking, readLooking, type View, views } from "./looking.ts";
import { countAll, takePage } from "./paging.ts";
import { faultsSection, findRequests, requestsTable } from "./requests-view.ts";
import { STYLE } from "./style.ts";
import { findUsers, usersTable } from "./users-view.ts";

const NAMES: Readonly<Record<View, string>> = {
  orgs: "Organizations",
  users: "Users",
  events: "Events",
  mails: "Mails",
  requests: "Requests",
};

/**
 * `GET /ui/console`: what the instance holds and what it was asked, to look at and to search; faults are set here, too. It needs no token,
 * shows no hash and no secret, runs no script, and is for this machine alone (http/guard.ts).
 */
export async function showConsole(call: Call, instance: Instance): Promise<Answer> {
  return pageAnswer(readLooking(call), instance);
}

/** The page; `said` is what is wrong with a fault that was to be set. */
export function pageAnswer(looking: Looking, instance: Instance, said?: string): Answer {
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": `default-src 'none'; style-src '${STYLE_DIGEST}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
  };
  return { status: said === undefined ? 200 : 400, headers, body: document(looking, instance, said) };
}

const STYLE_DIGEST = `sha256-${createHash("sha256").update(STYLE).digest("base64")}`;

function document(looking: Looking, instance: Instance, said: string | undefined): string {
  const { origin, store, faults } = instance;
  const { orgs, userOrgs, events } = store.state;
  const inForce = faults.list().length;
  const body = html`<a class="skip" href="#content">to the content</a>
<header><div class="top"><div><h1>orgferry mock</h1>
<p class="faint"><code>${origin}</code> · ${counted(orgs.size, "organization")} · ${counted(userOrgs.size, "user")} · ${counted(events.all.length, "event")}${inForce === 0 ? undefined : html` · <strong class="bad">${counted(inForce, "fault")} in force</strong>`}</p></div>
${searchForm(looking)}</div>
${tabs(looking, instance)}</header>
<main id="content">${viewOf(looking, instance, said)}</main>
<footer>What is here goes away with the server, unless it was started with --data. No hash and no token is ever shown.</footer>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${NAMES[looking.view]} – orgferry mock</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
${body.text}
</body>
</html>
`;
}

function searchForm({ view, wanted }: Looking): Html {
  return html`<form method="get" action="/ui/console" role="search"><input type="hidden" name="view" value="${view}"><label>search everything <input type="search" name="q" value="${wanted}" accesskey="s" autocomplete="off" spellcheck="false"></label><button>Search</button></form>`;
}

/** Each with how much of it fits: a search is over everything, whatever is looked at. */
function tabs(looking: Looking, instance: Instance): Html {
  const links = views.map((view) => {
    const here = view === looking.view ? html` aria-current="page"` : html``;
    return html`<a href="${hrefOf(looking, { view, org: "" })}"${here}>${NAMES[view]} <span>${countAll(thingsOf(view, { ...looking, org: "" }, instance))}</span></a>`;
  });
  return html`<nav class="tabs" aria-label="what to look at">${links}</nav>`;
}

function thingsOf(view: View, looking: Looking, { store: { state }, log }: Instance): Iterable<unknown> {
  switch (view) {
    case "orgs":
      return findOrgs(state, looking);
    case "users":
      return findUsers(state, looking);
    case "events":
      return findEvents(state, looking);
    case "mails":
      return findMails(state, looking);
    case "requests":
      return findRequests(log, looking);
    default:
      return view satisfies never;
  }
}

function viewOf(looking: Looking, instance: Instance, said: string | undefined): Html {
  const { faults } = instance;
  const faultsFirst = looking.view === "requests" ? faultsSection(faults.list(), said) : html``;
  const { isEmpty, content } = tableOf(looking, instance);
  return html`${faultsFirst}${isEmpty ? emptyState(looking, instance) : html`<section aria-labelledby="view"><h2 id="view">${headingOf(looking, instance)}</h2>${content}</section>`}`;
}

function headingOf({ view, wanted, org }: Looking, { store: { state } }: Instance): string {
  const of = view === "users" && org !== "" ? ` of ${state.orgs.get(org)?.name ?? org}` : "";
  return wanted === "" ? `${NAMES[view]}${of}` : `${NAMES[view]}${of} with “${wanted}”`;
}

function tableOf(
  looking: Looking,
  { store: { state }, log }: Instance,
): { readonly isEmpty: boolean; readonly content: Html } {
  const { page } = looking;
  switch (looking.view) {
    case "orgs": {
      const found = takePage(findOrgs(state, looking), page);
      return { isEmpty: found.total === 0, content: orgsTable(found, looking, state) };
    }
    case "users": {
      const found = takePage(findUsers(state, looking), page);
      return { isEmpty: found.total === 0, content: usersTable(found, looking, state) };
    }
    case "events": {
      const found = takePage(findEvents(state, looking), page);
      return { isEmpty: found.total === 0, content: eventsTable(found, looking) };
    }
    case "mails": {
      const found = takePage(findMails(state, looking), page);
      return { isEmpty: found.total === 0, content: mailsTable(found, looking) };
    }
    case "requests": {
      const found = takePage(findRequests(log, looking), page);
      return { isEmpty: found.total === 0, content: requestsTable(found, looking) };
    }
    default:
      return looking.view satisfies never;
  }
}
