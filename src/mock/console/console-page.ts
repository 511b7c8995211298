import { createHash } from "node:crypto";
import type { Answer } from "../http/answer.ts";
import type { Call, Instance } from "../state/instance.ts";
import { faultsSection } from "./faults-section.ts";
import { count, counted, type Html, html } from "./html.ts";
import { type ConsoleQuery, hrefOf, readQuery, type ViewName, viewNames } from "./query.ts";
import { STYLE } from "./style.ts";
import { found, type Item, views } from "./views.ts";

const PAGE_ROWS = 50;

/**
 * `GET /ui/console`: shows and searches the contents of the instance and the requests it got, and sets faults. It needs no token,
 * shows no hash and no secret, runs no script, and answers this machine alone (http/guard.ts).
 */
export async function showConsole(call: Call, instance: Instance): Promise<Answer> {
  return pageAnswer(readQuery(call), instance);
}

/** The page; `error`: why a fault was not added. */
export function pageAnswer(query: ConsoleQuery, instance: Instance, error?: string): Answer {
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": `default-src 'none'; style-src '${STYLE_DIGEST}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
  };
  return { status: error === undefined ? 200 : 400, headers, body: documentOf(query, instance, error) };
}

const STYLE_DIGEST = `sha256-${createHash("sha256").update(STYLE).digest("base64")}`;

function documentOf(query: ConsoleQuery, instance: Instance, error: string | undefined): string {
  const { origin, store, faults } = instance;
  const { orgs, userOrgs, events } = store.state;
  const inForce = faults.list();
  const form = query.view === "requests" ? faultsSection(inForce, error) : html``;
  const body = html`<a class="skip" href="#content">to the content</a>
<header><div class="top"><div><h1>orgferry mock</h1>
<p class="faint"><code>${origin}</code> · ${counted(orgs.size, "organization")} · ${counted(userOrgs.size, "user")} · ${counted(events.all.length, "event")}${inForce.length === 0 ? undefined : html` · <strong class="bad">${counted(inForce.length, "fault")} in force</strong>`}</p></div>
${searchForm(query)}</div>
${tabs(query, instance)}</header>
<main id="content">${form}${contentOf(query, instance)}</main>
<footer>All of this is deleted when the server stops, unless it was started with --data. Hashes and tokens are never shown.</footer>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${views[query.view].name} – orgferry mock</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
${body.text}
</body>
</html>
`;
}

function searchForm({ view, search }: ConsoleQuery): Html {
  return html`<form method="get" action="/ui/console" role="search"><input type="hidden" name="view" value="${view}"><label>search everything <input type="search" name="q" value="${search}" accesskey="s" autocomplete="off" spellcheck="false"></label><button>Search</button></form>`;
}

/** Each with the number of its matches: a search covers every view. */
function tabs(query: ConsoleQuery, instance: Instance): Html {
  const links = viewNames.map((view) => {
    const current = view === query.view ? html` aria-current="page"` : html``;
    const matching = found({ ...query, view, org: "" }, instance).length;
    return html`<a href="${hrefOf(query, { view, org: "" })}"${current}>${views[view].name} <span>${count(matching)}</span></a>`;
  });
  return html`<nav class="tabs" aria-label="views">${links}</nav>`;
}

function contentOf(query: ConsoleQuery, instance: Instance): Html {
  const items = found(query, instance);
  if (items.length === 0) return emptySection(query, instance);
  const last = Math.ceil(items.length / PAGE_ROWS);
  const page = Math.min(query.page, last);
  const from = (page - 1) * PAGE_ROWS;
  const rows = items.slice(from, from + PAGE_ROWS);
  return html`<section aria-labelledby="view"><h2 id="view">${headingOf(query, instance)}</h2>${tableOf(query.view, rows)}
${last === 1 ? undefined : pager(query, { page, last, total: items.length })}</section>`;
}

function headingOf({ view, search, org }: ConsoleQuery, { store: { state } }: Instance): string {
  const of = view === "users" && org !== "" ? ` of ${state.orgs.get(org)?.name ?? org}` : "";
  const name = `${views[view].name}${of}`;
  return search === "" ? name : `${name} with “${search}”`;
}

function tableOf(view: ViewName, rows: readonly Item[]): Html {
  const { columns, numbers } = views[view];
  const classOf = (head: string): Html => (numbers?.includes(head) ? html` class="number"` : html``);
  const heads = columns.map((head) => html`<th scope="col"${classOf(head)}>${head}</th>`);
  const lines = rows.map((row) => {
    const [first, ...rest] = row.cells();
    const cells = rest.map((cell, at) => {
      const head = columns[at + 1] ?? "";
      return html`<td data-head="${head}"${classOf(head)}>${cell}</td>`;
    });
    return html`<tr><th scope="row">${first}</th>${cells}</tr>
`;
  });
  return html`<div class="scroll" role="group" aria-label="${view}" tabindex="0"><table><thead><tr>${heads}</tr></thead><tbody>
${lines}</tbody></table></div>`;
}

function pager(
  query: ConsoleQuery,
  { page, last, total }: { readonly page: number; readonly last: number; readonly total: number },
): Html {
  const link = (to: number, text: string): Html =>
    to < 1 || to > last || to === page
      ? html`<span class="off">${text}</span>`
      : html`<a href="${hrefOf(query, { page: to })}">${text}</a>`;
  const [first, end] = [(page - 1) * PAGE_ROWS + 1, Math.min(page * PAGE_ROWS, total)];
  return html`<nav class="pager" aria-label="pages">${link(1, "first")} ${link(page - 1, "previous")} <span>${count(first)}–${count(end)} of ${count(total)}</span> ${link(page + 1, "next")} ${link(last, "last")}</nav>`;
}

/** The command that fills an empty view, or the way back from a search without a match. */
function emptySection(query: ConsoleQuery, { origin }: Instance): Html {
  const { view, search, org } = query;
  if (search !== "" || org !== "") {
    return html`<section class="empty" aria-labelledby="view"><h2 id="view">No matches</h2><p>Nothing matches “${search === "" ? org : search}”. <a href="${hrefOf(query, { search: "", org: "" })}">Show all</a></p></section>`;
  }
  const [text, command] = views[view].empty;
  const target = `export ZITADEL_IMPORT_DOMAIN=${origin} PAT_IMPORT_TOKEN=…`;
  // A line feed within a value would be shown as an escaped control character.
  const lines = command
    .replace("$TARGET", target)
    .split("\n")
    .map((line, at) => (at === 0 ? html`${line}` : html`\n${line}`));
  return html`<section class="empty" aria-labelledby="view"><h2 id="view">Nothing here yet</h2><p>${text}</p><pre><code>${lines}</code></pre>
<p class="faint">The token is in the first lines that <code>orgferry mock</code> printed.</p></section>`;
}
