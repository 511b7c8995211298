import { namedLines, reasonLine, reasonsOf } from "../reasons.ts";
import type { AnyReport } from "../report.ts";
import { html, type Markup } from "./markup.ts";

/** Why some items failed, what to do, and the first items of each reason; undefined for a run without a named reason. */
export function reasonsSection(report: AnyReport): Markup | undefined {
  const reasons = reasonsOf(report);
  if (reasons.length === 0) return undefined;
  return html`<section aria-labelledby="reasons"><h2 id="reasons">What to do</h2><ul>${reasons.map((reason) => {
    const lines = namedLines(reason);
    return html`<li>${reasonLine(reason)}${lines.length === 0 ? undefined : html`<ul>${lines.map((line) => html`<li><bdi>${line}</bdi></li>`)}</ul>`}</li>
`;
  })}</ul></section>`;
}
