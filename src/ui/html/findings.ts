import { describeCause } from "../../problem/cause.ts";
import { count, counted } from "../../problem/format.ts";
import { describeReason, isReason } from "../../problem/row.ts";
import { kindOfThing, missingOf, namedLines, reasonLine, reasonsOf } from "../reasons.ts";
import { type AnyReport, type ComparedThing, type DifferentThing, type ListedProblem, userCounts } from "../report.ts";
import { describeKept } from "../summary/undo-summary.ts";
import { conflictReasons } from "../summary/update-plan.ts";
import { html, type Markup } from "./markup.ts";

/** An item that failed or differs. */
interface Finding {
  readonly kind:
    | ("rejected" | "failed" | "unknown" | "cannot sign in" | "missing")
    | ("different" | "changed since" | "kept" | "conflict");
  readonly line?: number | undefined;
  readonly file?: string | undefined;
  readonly what: string;
  readonly id: string;
  readonly words: string;
  /** The message of the service. */
  readonly quote?: string;
}

/** All items that failed or differ, each with an anchor; undefined when there are none. */
export function findingsSection(report: AnyReport): Markup | undefined {
  const findings = findingsOf(report);
  const counts = countKinds(report, findings);
  const kinds = [...counts.keys()];
  const all = [...counts.values()].reduce((sum, times) => sum + times, 0);
  if (all === 0) return undefined;
  const rest = all - findings.length;
  const sum = [...counts].map(([kind, times]) => `${count(times)} ${kind}`).join(" + ");
  return html`<section aria-labelledby="findings-title"><h2 id="findings-title">${titleOf(report.command, kinds)} <span class="count">${count(all)}</span></h2>
${kinds.length < 2 ? undefined : html`<p class="faint sum">${count(all)} = ${sum}</p>`}
${findings.length === 0 ? undefined : searchBox(kinds)}
<ol id="findings" class="findings">${findings.map(row)}</ol>
<p id="no-hit" hidden>Nothing matches the search.</p>
${rest <= 0 ? undefined : html`<p class="faint">${counted(rest, "more item is", "more items are")} not listed here${report.rejects === undefined ? "; --rejects keeps all of them" : `; all of them are in ${report.rejects}`}.</p>`}
</section>`;
}

const LOST: readonly Finding["kind"][] = ["rejected", "failed", "unknown", "cannot sign in", "missing"];

function titleOf(command: string, kinds: readonly Finding["kind"][]): string {
  if (command === "verify") return "Differences";
  if (command === "undo") return "Users not deleted";
  return kinds.every((kind) => LOST.includes(kind)) ? "Failed items" : "Failed and different items";
}

/** Hidden until the script that serves it has run. */
function searchBox(kinds: readonly string[]): Markup {
  const choice = html`<label>show <select id="kind"><option value="">all</option>${kinds.map((kind) => html`<option>${kind}</option>`)}</select></label>`;
  return html`<form id="search" role="search" hidden><label>search <input id="words" type="search" autocomplete="off" spellcheck="false"></label>
${kinds.length < 2 ? undefined : choice}<output id="hits" for="words"></output></form>`;
}

function row({ kind, line, file, what, id, words, quote }: Finding, at: number): Markup {
  const anchor = `f${at + 1}`;
  const where =
    line === undefined
      ? undefined
      : html`<span class="where">${file === undefined || file === "" ? "" : `${nameOf(file)}:`}${file === undefined ? "line " : ""}${line}</span>`;
  return html`<li id="${anchor}" data-kind="${kind}"><a class="number" href="#${anchor}" aria-label="${`link to number ${at + 1}`}">${at + 1}</a>
<div><p class="what"><span class="tag ${toneOf(kind)}">${kind}</span> ${where} ${what} ${id === "" ? undefined : html`<code><bdi>${id}</bdi></code>`}</p>
<p>${words}</p>${quote === undefined || quote === "" ? undefined : html`<p class="quote">message: <q>${quote}</q></p>`}</div></li>
`;
}

function toneOf(kind: Finding["kind"]): string {
  if (kind === "unknown") return "open";
  return kind === "changed since" || kind === "kept" ? "calm" : "bad";
}

function nameOf(file: string): string {
  return file === "-" ? "stdin" : file;
}

function findingsOf(report: AnyReport): readonly Finding[] {
  const {
    problems,
    failures = [],
    unknown = [],
    cannotSignIn = [],
    missing,
    different = [],
    changedSince = [],
    kept = [],
    update,
  } = report;
  return [
    ...failures.map(
      ({ type, id, message, cause, file, line }): Finding => ({
        kind: "failed",
        line,
        file,
        what: kindOfThing(type ?? "human_user"),
        id,
        words: sentence(describeCause(cause ?? "other")),
        quote: message,
      }),
    ),
    ...problems.filter(({ code }) => isReason(code)).map(toRejected),
    ...unknown.map(
      (id): Finding => ({
        kind: "unknown",
        what: "user",
        id,
        words: "A response was lost: it is unknown whether this user was created.",
      }),
    ),
    ...cannotSignIn.map(
      (id): Finding => ({
        kind: "cannot sign in",
        what: "user",
        id,
        words: "The user exists, and the service finds no login name for the user.",
      }),
    ),
    ...missingOf({ missing, failures }).map((one) => compared("missing", one)),
    ...different.map((one) => compared("different", one)),
    ...changedSince.map((one) => compared("changed since", one)),
    ...(update?.conflict ?? []).map(
      (conflict): Finding => ({
        kind: "conflict",
        what: "user",
        id: conflict.userId,
        words: `Not changed: ${describeConflict(conflict)} (${conflict.fields.join(", ")}).`,
      }),
    ),
    ...kept.map(
      ({ id, reason, line }): Finding => ({
        kind: "kept",
        line,
        what: "user",
        id,
        words: `Not deleted: ${describeKept(reason)}.`,
      }),
    ),
  ];
}

function describeConflict(conflict: { readonly reason?: string | undefined }): string {
  return conflictReasons.find(({ isOf }) => isOf(conflict))?.message ?? "";
}

function toRejected({ code, message, file, line, field }: ListedProblem): Finding {
  const words =
    message === ""
      ? `${capital(describeReason({ code }))}.`
      : capital(withoutPlace(message, [file === "-" ? "stdin" : file, line, field]));
  return { kind: "rejected", line, file, what: field ?? "", id: "", words };
}

/** The message without its place, which is shown separately. */
function withoutPlace(message: string, [file, line, field]: readonly (string | number | undefined)[]): string {
  const prefix = `${file}:${line}: `;
  const words = message.startsWith(prefix) ? message.slice(prefix.length) : message;
  return field !== undefined && words.startsWith(`${field}: `) ? words.slice(`${field}: `.length) : words;
}

function compared(
  kind: Finding["kind"],
  { type, id, line, fields = [] }: ComparedThing & Partial<DifferentThing>,
): Finding {
  const words =
    kind === "missing"
      ? "Not on the target."
      : kind === "different"
        ? `Different: ${fields.join(", ")}.`
        : `Imported correctly, then changed on the target: ${fields.join(", ")}.`;
  return { kind, line, what: kindOfThing(type), id, words };
}

function sentence({ message, hint }: { readonly message: string; readonly hint?: string }): string {
  return `${capital(message)}. ${hint ?? ""}`.trimEnd();
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

/** The number of items of each kind, listed or not; kinds without items are absent. */
function countKinds(report: AnyReport, findings: readonly Finding[]): ReadonlyMap<Finding["kind"], number> {
  const { reasons = {}, missing, expected = 0, found = 0, differentCount = 0, changedSinceCount = 0 } = report;
  const { cannotSignInCount = 0 } = report;
  const { failed = 0, unknown = 0, kept = 0, conflict = 0 } = userCounts(report) ?? {};
  const saidTwice = typeof missing === "object" ? missing.length - missingOf(report).length : 0;
  const known: Readonly<Record<Finding["kind"], number>> = {
    rejected: Object.values(reasons).reduce((sum, times) => sum + times, 0),
    failed,
    unknown,
    "cannot sign in": cannotSignInCount,
    missing: typeof missing === "object" ? expected - found - saidTwice : 0,
    different: differentCount,
    "changed since": changedSinceCount,
    conflict,
    kept,
  };
  const counts = Object.entries(known) as [Finding["kind"], number][]; // the keys are those of the type
  return new Map(
    counts
      .map(([kind, times]) => [kind, Math.max(times, findings.filter((one) => one.kind === kind).length)] as const)
      .filter(([, times]) => times > 0),
  );
}

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
