import type { Instance } from "../state/instance.ts";
import { type Html, html } from "./html.ts";
import { hrefOf, type Looking, type View } from "./looking.ts";

const NOTHING: Readonly<Record<View, string>> = {
  orgs: "No organization yet. Start the mock with one, or copy some here:",
  users: "No users yet. Import some:",
  events: "Nothing has happened yet. An import leaves events:",
  mails:
    "Nobody would have been mailed. An import of people without a password, or with an address that is not verified, mails them:",
  requests: "Nobody has asked anything yet. Any command that talks to an instance does:",
};

/** What to do about a view with nothing in it: the command that fills it, or the way back from a search. */
export function emptyState(looking: Looking, { origin }: Pick<Instance, "origin">): Html {
  const { view, wanted, org } = looking;
  if (wanted !== "" || org !== "") {
    return html`<section class="empty" aria-labelledby="view"><h2 id="view">Nothing fits</h2><p>Nothing here has “${wanted === "" ? org : wanted}” in it. <a href="${hrefOf(looking, { wanted: "", org: "" })}">Show all</a></p></section>`;
  }
  return html`<section class="empty" aria-labelledby="view"><h2 id="view">Nothing here yet</h2><p>${NOTHING[view]}</p><pre><code>${lines(commandsOf(view, origin))}</code></pre>
<p class="faint">The token is in the first lines that <code>orgferry mock</code> printed.</p></section>`;
}

function commandsOf(view: View, origin: string): string {
  const target = `export ZITADEL_IMPORT_DOMAIN=${origin} PAT_IMPORT_TOKEN=…`;
  if (view === "orgs")
    return `orgferry mock --org 1=Acme\n\n${target}\norgferry copy --source https://example.zitadel.cloud`;
  if (view === "requests") return `${target}\norgferry verify importBody.json`;
  return `${target}\norgferry import importBody.json`;
}

/** A line break is one of the page: in a text it would be shown as the control character that it is. */
function lines(text: string): readonly Html[] {
  return text.split("\n").map((line, at) => (at === 0 ? html`${line}` : html`\n${line}`));
}
