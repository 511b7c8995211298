import { type Faults, faultEndpoints, faultKinds } from "../http/faults.ts";
import type { LoggedRequest, RequestLog } from "../http/request-log.ts";
import { count, type Html, html } from "./html.ts";
import { fits, hrefOf, type Looking } from "./looking.ts";
import { type Page, pager } from "./paging.ts";

/** Requests that are looked for, the latest first, without those of the console itself. */
export function* findRequests(
  { requests }: Pick<RequestLog, "requests">,
  { wanted }: Pick<Looking, "wanted">,
): Generator<LoggedRequest> {
  for (let at = requests.length - 1; at >= 0; at -= 1) {
    const request = requests[at];
    if (request === undefined || isOwn(request)) continue;
    if (fits([request.method, request.path, String(request.status), request.note ?? ""], wanted)) yield request;
  }
}

function isOwn({ path }: LoggedRequest): boolean {
  return path === "/" || path === "/favicon.ico" || path.startsWith("/ui/");
}

export function requestsTable(page: Page<LoggedRequest>, looking: Looking): Html {
  return html`<div class="scroll" role="group" aria-label="requests" tabindex="0"><table><thead><tr><th scope="col">Request</th><th scope="col">Answer</th><th scope="col" class="number">Time</th><th scope="col" class="number">In</th><th scope="col" class="number">Out</th></tr></thead><tbody>
${page.rows.map(
  ({
    method,
    path,
    status,
    ms,
    requestBytes,
    responseBytes,
    note,
  }) => html`<tr><th scope="row">${method} <code>${path}</code></th><td data-head="Answer"><span class="tag ${toneOf(status)}">${status}</span>${note === undefined ? undefined : html` ${note}`}</td><td data-head="Time" class="number">${count(ms)} ms</td><td data-head="In" class="number">${count(requestBytes)} B</td><td data-head="Out" class="number">${count(responseBytes)} B</td></tr>
`,
)}</tbody></table></div>
${pager(page, (to) => hrefOf(looking, { page: to }))}`;
}

function toneOf(status: LoggedRequest["status"]): string {
  if (typeof status === "string" || status >= 500) return "bad";
  return status >= 400 ? "open" : "good";
}

/** The faults in force, and a form for another one. `said` is what is wrong with the last one that was given. */
export function faultsSection(faults: ReturnType<Faults["list"]>, said: string | undefined): Html {
  const inForce = faults.map(
    ({
      endpoint,
      fault,
      calls,
      struck,
      times,
    }) => html`<li><code>${endpoint}:${fault}</code> has struck ${count(struck)} of ${count(calls)} calls${times === undefined ? ", every one" : `, at most ${count(times)}`}</li>
`,
  );
  const clear = html`<form method="post" action="/ui/console/faults"><input type="hidden" name="clear" value="yes"><button>Remove all faults</button></form>`;
  return html`<section aria-labelledby="faults"><h2 id="faults">Faults</h2>
${faults.length === 0 ? html`<p class="faint">None: every call is answered as it should be.</p>` : html`<ul>${inForce}</ul>${clear}`}
${said === undefined ? undefined : html`<p class="bad" role="alert">${said}</p>`}
<form method="post" action="/ui/console/faults" class="fault"><label>on <select name="endpoint">${faultEndpoints.map((name) => html`<option>${name}</option>`)}</select></label>
<label>fault <select name="fault">${faultKinds.map((name) => html`<option>${name}</option>`)}</select></label>
<label>times <input name="times" inputmode="numeric" size="6" placeholder="all"></label>
<label>after <input name="skip" inputmode="numeric" size="6" placeholder="0"></label>
<label>delay <input name="delay" size="8" placeholder="50ms"></label>
<label>Retry-After, s <input name="retryAfter" inputmode="numeric" size="6"></label>
<button>Add</button></form></section>`;
}
