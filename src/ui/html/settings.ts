import { counted } from "../../problem/format.ts";
import type { AnyReport } from "../report.ts";
import { differenceLine, diffSummary, placeName, samePlaces } from "../summary/diff-summary.ts";
import { html, type Markup } from "./markup.ts";

/** The settings of two instances that differ, by place; undefined for other reports. */
export function settingsSection({ places = [], settings = [] }: AnyReport): Markup | undefined {
  const different = places.filter(({ state }) => state === "different");
  const same = samePlaces(places).map((names) => html`<h3>The same</h3><p>${names}</p>`);
  const unread = places.filter(({ state }) => state === "not-read");
  if (places.length === 0) return undefined;
  return html`<section><h2>Settings that differ</h2><p>${diffSummary(places)}</p>
${different.map((place) => {
  const found = settings.filter((one) => one.place === place.name && one.orgId === place.orgId);
  return html`<h3>${placeName(place)} <span class="count">${counted(place.differences, "difference")}</span></h3>
<p class="faint">console: <code>/ui/console/${place.page}</code></p>
<ul>${found.map((one) => html`<li>${differenceLine(one)}</li>`)}</ul>
`;
})}${different.length === 0 ? html`<p>None.</p>` : undefined}
${same}
${unread.length === 0 ? undefined : html`<h3>Not read</h3><ul>${unread.map((place) => html`<li>${placeName(place)}: ${place.why ?? ""}</li>`)}</ul>`}</section>`;
}
