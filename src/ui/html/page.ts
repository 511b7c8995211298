import { createHash } from "node:crypto";
import { type AnyReport, userCounts } from "../report.ts";
import { withoutPersonalData } from "./anonymous.ts";
import { changesSection, otherObjectsSection, recipientsSection } from "./changes.ts";
import { findingsSection } from "./findings.ts";
import { type Flow, flowOf } from "./flow.ts";
import { flowChart } from "./flow-chart.ts";
import { headOf, titleOf } from "./head.ts";
import { html, type Markup } from "./markup.ts";
import {
  hashSection,
  lossesSection,
  notCarriedSection,
  noticesSection,
  otherNumbers,
  otherObjects,
  outputsSection,
  tiles,
  warningsSection,
} from "./numbers.ts";
import { rateChart } from "./rate-chart.ts";
import { SCRIPT } from "./script.ts";
import { settingsSection } from "./settings.ts";
import { STYLE } from "./style.ts";

/**
 * The report as one page that needs nothing from anywhere else (design: The report as a page). Nothing of what it shows can become markup
 * or run: everything is escaped, and the page allows no script and no style but its own.
 */
export function reportPage(report: AnyReport, { isAnonymous }: { readonly isAnonymous: boolean }): string {
  const shown = isAnonymous ? withoutPersonalData(report) : report;
  const body = html`<main>
${headOf(shown)}
${sectionsOf(shown)}
</main>
<footer>${isAnonymous ? "This page contains no names, addresses or ids of people." : namesPeople(report) ? "This page contains personal data: protect it accordingly. --html-anonymous makes a page without it." : "This page names no user."} It contains no password hashes and no tokens.</footer>`;
  return document(titleOf(shown), body);
}

/** True if an anonymous page would say less about users and objects. */
function namesPeople(report: AnyReport): boolean {
  if (Object.values(report.remarkedUsers ?? {}).some((ids) => ids.length > 0)) return true;
  const anonymous = withoutPersonalData(report);
  const sections = [
    findingsSection,
    changesSection,
    otherObjectsSection,
    recipientsSection,
    noticesSection,
    warningsSection,
  ];
  return sections.some((section) => section(report)?.text !== section(anonymous)?.text);
}

/** First what the run came to, then what to do about it, then everything else. */
function sectionsOf(report: AnyReport): Markup {
  const flow = flowOf(report);
  const rate = rateChart(report);
  const empty = userCounts(report)?.["read"] === 0 ? html`<p>The input contains no users.</p>` : undefined;
  const title = titleOfResults(report, flow);
  const results = [flow === undefined ? empty : flowChart(flow), tiles(report), otherNumbers(report)];
  return html`${results.every((part) => part === undefined) ? undefined : html`<section aria-labelledby="flow"><h2 id="flow">${title}</h2>${results.filter((part) => part !== undefined)}</section>`}
${findingsSection(report)}
${changesSection(report)}
${otherObjectsSection(report)}
${recipientsSection(report)}
${lossesSection(report)}
${hashSection(report)}
${noticesSection(report)}
${settingsSection(report)}
${otherObjects(report)}
${rate === undefined ? undefined : html`<section aria-labelledby="rate"><h2 id="rate">Rate over time</h2>${rate}</section>`}
${notCarriedSection(report)}
${warningsSection(report)}
${outputsSection(report)}`;
}

function titleOfResults({ dryRun }: AnyReport, flow: Flow | undefined): string {
  if (dryRun === true) return "What the run would do";
  return flow === undefined ? "Results" : `Results by ${flow.unit === "objects" ? "object" : "user"}`;
}

/** Nothing is loaded, nothing is sent, and nothing runs but what this very file wrote. */
function document(title: string, body: Markup): string {
  const policy = `default-src 'none'; style-src '${digest(STYLE)}'; script-src '${digest(SCRIPT)}'; base-uri 'none'; form-action 'none'`;
  const head = html`<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${title}</title>`;
  return `<!doctype html>\n<html lang="en">\n<head>\n${head.text}\n<style>${STYLE}</style>\n</head>\n<body>\n${body.text}\n<script>${SCRIPT}</script>\n</body>\n</html>\n`;
}

function digest(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
