import { faultEndpoints, faultKinds } from "../http/fault-kinds.ts";
import type { Faults } from "../http/faults.ts";
import { count, type Html, html } from "./html.ts";

/** The faults in force, and a form that adds one. `error`: why the last fault was not added. */
export function faultsSection(faults: ReturnType<Faults["list"]>, error: string | undefined): Html {
  const inForce = faults.map(({ endpoint, fault, calls, struck, times }) => {
    const limit = times === undefined ? ", every one" : `, at most ${count(times)}`;
    return html`<li><code>${endpoint}:${fault}</code> has struck ${count(struck)} of ${count(calls)} calls${limit}</li>
`;
  });
  const clear = html`<form method="post" action="/ui/console/faults"><input type="hidden" name="clear" value="yes"><button>Remove all faults</button></form>`;
  return html`<section aria-labelledby="faults"><h2 id="faults">Faults</h2>
${faults.length === 0 ? html`<p class="faint">None: every call gets its ordinary answer.</p>` : html`<ul>${inForce}</ul>${clear}`}
${error === undefined ? undefined : html`<p class="bad" role="alert">${error}</p>`}
<form method="post" action="/ui/console/faults" class="fault"><label>on <select name="endpoint">${faultEndpoints.map((name) => html`<option>${name}</option>`)}</select></label>
<label>fault <select name="fault">${faultKinds.map((name) => html`<option>${name}</option>`)}</select></label>
<label>times <input name="times" inputmode="numeric" size="6" placeholder="all"></label>
<label>after <input name="skip" inputmode="numeric" size="6" placeholder="0"></label>
<label>delay <input name="delay" size="8" placeholder="50ms"></label>
<label>Retry-After, s <input name="retryAfter" inputmode="numeric" size="6"></label>
<button>Add</button></form></section>`;
}
