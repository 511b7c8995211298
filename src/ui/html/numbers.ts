import { bytes, count } from "../../problem/format.ts";
import { describeLeftOut, describeRemarks } from "../../problem/remark.ts";
import { describeReason } from "../../problem/row.ts";
import type { LeftOutReason, Remark } from "../../problem.ts";
import { type AnyReport, userCounts } from "../report.ts";
import { numbersOf } from "../summary/numbers.ts";
import { html, type Markup } from "./markup.ts";

/** The numbers beside the flow. */
export function tiles(report: AnyReport): Markup | undefined {
  const found = numbersOf(report);
  if (found.length === 0) return undefined;
  return html`<dl class="tiles">${found.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

interface Bar {
  readonly label: string;
  readonly value: number;
}

/** Why rows were rejected, the most frequent first. */
export function reasonBars({ reasons = {} }: AnyReport): Markup | undefined {
  return bars(
    "Rejects by reason",
    "reason",
    "rows",
    barsOf(reasons, (code) => describeReason({ code })),
    "bad",
  );
}

/** Users by the verifier of their hash. */
export function hashBars(report: AnyReport): Markup | undefined {
  const { hashes = {} } = report;
  const { withoutHash = 0 } = userCounts(report) ?? {};
  const known = barsOf(hashes, (kind) => (kind === "none" ? "unknown to the service" : kind));
  if (known.length === 0) return undefined;
  const without = withoutHash === 0 ? [] : [{ label: "without a hash", value: withoutHash }];
  return bars("Password hashes by algorithm", "algorithm", "users", [...known, ...without], "calm");
}

function barsOf(counts: Readonly<Record<string, number>>, label: (key: string) => string): readonly Bar[] {
  return Object.entries(counts)
    .map(([key, value]) => ({ label: label(key), value }))
    .filter(({ value }) => value > 0)
    .sort((a, b) => b.value - a.value);
}

function bars(title: string, what: string, unit: string, found: readonly Bar[], tone: string): Markup | undefined {
  const most = found[0]?.value;
  if (most === undefined) return undefined;
  return html`<section><h2>${title}</h2><table class="bars"><thead><tr><th scope="col">${what}</th><th scope="col" class="number">${unit}</th></tr></thead><tbody>
${found.map(
  ({
    label,
    value,
  }) => html`<tr><th scope="row">${label}<svg class="bar ${tone}" width="100%" height="6" aria-hidden="true"><rect width="${Math.max(0.5, (100 * value) / most).toFixed(1)}%" height="6" rx="2"/></svg></th><td class="number">${count(value)}</td></tr>
`,
)}</tbody></table></section>`;
}

const OUTCOMES = [
  { key: "created", name: "created" },
  { key: "alreadyThere", name: "already there" },
  { key: "failed", name: "failed" },
  { key: "leftOut", name: "left out" },
  { key: "unknown", name: "unknown" },
] as const;

/** All objects besides users. */
export function otherObjects({ otherObjects: others = {} }: AnyReport): Markup | undefined {
  // Of undo these are plain numbers, of objects that stay.
  const rows = Object.entries<Readonly<Record<string, number>> | number>(others).flatMap(([type, counts]) =>
    typeof counts === "object" ? [[type, counts] as const] : [],
  );
  if (rows.length === 0) return undefined;
  const outcomes = OUTCOMES.filter(({ key }) => rows.some(([, counts]) => (counts[key] ?? 0) > 0));
  return html`<section><h2 id="others">Other objects</h2><div class="scroll" role="region" aria-labelledby="others" tabindex="0"><table><thead><tr><th scope="col">type</th>${outcomes.map(({ name }) => html`<th scope="col" class="number">${name}</th>`)}</tr></thead><tbody>
${rows.map(
  ([
    type,
    counts,
  ]) => html`<tr><th scope="row">${type.replaceAll("_", " ")}</th>${outcomes.map(({ key }) => html`<td class="number">${count(counts[key] ?? 0)}</td>`)}</tr>
`,
)}</tbody></table></div></section>`;
}

/** What written users lose or gain, and the rows that were left out. */
export function remarksSection({ remarks = {}, leftOut = {} }: AnyReport): Markup | undefined {
  // The keys are those of the types: the report was written by this very version.
  const lines = [
    ...describeRemarks(remarks as Partial<Record<Remark, number>>),
    ...Object.entries(leftOut).map(
      ([reason, times]) => `${count(times)} left out: ${describeLeftOut(reason as LeftOutReason)}`,
    ),
  ];
  if (lines.length === 0) return undefined;
  return html`<section><h2>Remarks</h2><ul>${lines.map((line) => html`<li>${line}</li>`)}</ul></section>`;
}

/** What must be created on the target by other means. */
export function notCarriedSection({ notCarried = [] }: AnyReport): Markup | undefined {
  if (notCarried.length === 0) return undefined;
  return html`<section><h2>Not in any export</h2><p>Create these on the target by other means:</p><ul class="columns">${notCarried.map((what) => html`<li>${what}</li>`)}</ul></section>`;
}

/** The files that were written. */
export function outputsSection({ outputs = [], output, sha256, rejects }: AnyReport): Markup | undefined {
  const exported =
    output === undefined && sha256 === undefined ? [] : [{ path: output, users: undefined, bytes: undefined, sha256 }];
  const files = [...outputs, ...exported];
  if (files.length === 0 && rejects === undefined) return undefined;
  return html`<section><h2>Files</h2><ul class="files">${files.map(
    ({
      path,
      users,
      bytes: size,
      sha256: sum,
    }) => html`<li>${path === undefined || path === "" ? "a file" : html`<code>${path === "-" ? "stdout" : path}</code>`}${users === undefined ? undefined : `, ${count(users)} users`}${size === undefined ? undefined : `, ${bytes(size)}`}${sum === undefined ? undefined : html`<br><span class="faint">SHA-256 <code>${sum}</code></span>`}</li>
`,
  )}${rejects === undefined ? undefined : html`<li><code>${rejects}</code>, rejected and failed items, with the reasons</li>`}</ul></section>`;
}
