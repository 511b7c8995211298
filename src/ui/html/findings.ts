import { count, counted, place } from "../../problem/format.ts";
import { findingsOf, MERGED, type Named, REJECTED, type Reason } from "../reasons.ts";
import type { AnyReport } from "../report.ts";
import { rejectedRows } from "../summary/left-behind.ts";
import { html, type Markup, withoutBreaks } from "./markup.ts";

/** Groups are closed if the report lists more items. */
const MOST_OPEN = 12;
/** Fewer items need no search. */
const MOST_WITHOUT_SEARCH = 8;

/** All that failed or differs, by reason, with what to do, and each item with an anchor; undefined when there is nothing. */
export function findingsSection(report: AnyReport): Markup | undefined {
  const reasons = findingsOf(report);
  if (reasons.length === 0) return undefined;
  const listed = reasons.reduce((sum, { named }) => sum + named.length, 0);
  const counts = countKinds(reasons, report);
  const all = [...counts.values()].reduce((sum, times) => sum + times, 0);
  const sum = [...counts].map(([kind, times]) => `${count(times)} ${kind}`).join(" + ");
  let first = 1;
  const groups = reasons.map((reason) => {
    const from = first;
    first += reason.named.length;
    return group(reason, from, { report, isOpen: listed <= MOST_OPEN });
  });
  return html`<section aria-labelledby="findings-title"><h2 id="findings-title">${titleOf(report, [...counts.keys()])} <span class="count">${count(all)}</span></h2>
${counts.size < 2 ? undefined : html`<p class="faint sum">${count(all)} = ${sum}</p>`}
${listed <= MOST_WITHOUT_SEARCH ? undefined : searchBox([...counts.keys()])}
<div id="findings">${groups}</div>
<p id="no-hit" hidden>Nothing matches the search.</p>
</section>`;
}

/** Items of each kind, listed or not. Of a migration, rows: one may be rejected for several reasons. */
function countKinds(reasons: readonly Reason[], report: AnyReport): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { kind, times } of reasons) counts.set(kind, (counts.get(kind) ?? 0) + times);
  const rows = report.command.startsWith("migrate") ? rejectedRows(report) : 0;
  if (rows > 0) counts.set(REJECTED, rows);
  return counts;
}

const LOST: readonly string[] = [REJECTED, "failed", "unknown", "cannot sign in", "missing", "will fail"];

function titleOf({ command, dryRun, exitCode }: AnyReport, kinds: readonly string[]): string {
  const others = kinds.filter((kind) => kind !== MERGED);
  if (others.length === 0) return "Merged users";
  const isLost = others.every((kind) => LOST.includes(kind));
  if (command === "verify") return exitCode === 0 ? "Differences that are no fault" : "Differences";
  if (command === "undo") return dryRun === true ? "Users that would be kept" : "Users not deleted";
  if (kinds.every((kind) => kind === "unknown")) return "Items with an unknown outcome";
  if (dryRun === true) return isLost ? "What would fail" : "What would fail or stay different";
  if (others.length < kinds.length) return "Failed and merged items";
  return isLost ? "Failed items" : "Failed and different items";
}

/** Hidden until the script that serves it has run. */
function searchBox(kinds: readonly string[]): Markup {
  const choice = html`<label>show <select id="kind"><option value="">all</option>${kinds.map((kind) => html`<option>${kind}</option>`)}</select></label>`;
  return html`<form id="search" role="search" hidden><label>search <input id="words" type="search" autocomplete="off" spellcheck="false"></label>
${kinds.length < 2 ? undefined : choice}<output id="hits" for="words"></output></form>`;
}

/** A reason, what to do, and its items, numbered from `from`. */
function group(
  { kind, times, message, hint, named, quote }: Reason,
  from: number,
  { report, isOpen }: { readonly report: AnyReport; readonly isOpen: boolean },
): Markup {
  const said = html`<span class="tag ${toneOf(kind)}">${kind}</span> <strong>${count(times)}</strong> ${withoutBreaks(sentence(message))}`;
  const what = hint === undefined ? undefined : html`<p class="hint">${withoutBreaks(hint)}</p>`;
  if (named.length === 0) return html`<div class="reason"><p>${said}</p>${what}</div>`;
  const rest = times - named.length;
  const others = report.rejects === undefined ? "--rejects keeps all of them" : `all of them are in ${report.rejects}`;
  let number = from;
  const lists = partsOf(named).map(
    ({ words, items }) => html`${words === "" ? undefined : html`<p class="hint">${withoutBreaks(words)}</p>`}
<ol class="findings">${items.map((one) => {
      number += 1;
      return row(one, number - 1, { kind, words: words === "" ? wordsOfRow(one) : "" });
    })}</ol>
`,
  );
  return html`<details class="reason"${isOpen ? html` open` : undefined}><summary>${said}</summary>${what}${quote === undefined || quote === "" ? undefined : html`<p class="quote">message: <q>${quote}</q></p>`}
${lists}${rest <= 0 ? undefined : html`<p class="faint">${counted(rest, "more item is", "more items are")} not listed here; ${others}.</p>`}</details>
`;
}

/** The items by what they say, where few words are said of many items; otherwise all of them together, each with its own words. */
function partsOf(named: readonly Named[]): readonly { readonly words: string; readonly items: readonly Named[] }[] {
  const parts = new Map<string, Named[]>();
  for (const one of named) {
    const words = wordsOfRow(one);
    parts.set(words, [...(parts.get(words) ?? []), one]);
  }
  if (parts.size > named.length / 2) return [{ words: "", items: named }];
  return [...parts].map(([words, items]) => ({ words, items }));
}

function row(
  { who, file, line, field = "" }: Named,
  number: number,
  { kind, words }: { readonly kind: string; readonly words: string },
): Markup {
  const where = placeOf(file, line);
  const parts = [
    who === "" ? undefined : html`<code><bdi>${who}</bdi></code>`,
    where === "" ? undefined : html`<span class="where">${where}</span>`,
    field === "" ? undefined : html`<span>${field}</span>`,
    words === "" ? undefined : html`<span>${withoutBreaks(words)}</span>`,
  ].filter((part) => part !== undefined);
  return html`<li id="f${number}" data-kind="${kind}"><a class="number" href="#f${number}" aria-label="${`link to number ${number}`}">${number}</a><p>${parts.map((part) => html`${part} `)}</p></li>
`;
}

/** What an item says besides its place and its field, which are shown separately. */
function wordsOfRow({ detail = "", bareMessage }: Named): string {
  return bareMessage === undefined ? detail : sentence(bareMessage);
}

/** `body.json:7`, without the folder, which is the same in every line. */
function placeOf(file: string | undefined, line: number | undefined): string {
  if (file === undefined || file === "") return line === undefined ? "" : `line\u00a0${line}`;
  return place({ file: baseName(file), line });
}

/** The name of a file, on the machine of any reader. */
export function baseName(path: string): string {
  return path.replace(/[\\/]+$/, "").replace(/^.*[\\/]/s, "") || path;
}

function toneOf(kind: string): string {
  if (kind === "unknown") return "open";
  return kind === "changed since" || kind === "kept" || kind === MERGED ? "calm" : "bad";
}

function sentence(text: string): string {
  const whole = `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
  return /[.!?)"]$/.test(whole) || whole === "" ? whole : `${whole}.`;
}
