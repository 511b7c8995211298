import { verifierSetting } from "../../contract/verifiers.ts";
import { bytes, count, counted, idWithName, LISTED, linesIf, shown } from "../../problem/format.ts";
import { describeLeftOut, describeRemarks } from "../../problem/remark.ts";
import type { LeftOutReason, Remark } from "../../problem.ts";
import { capital, kindOfThing } from "../reasons.ts";
import { type AnyReport, userCounts } from "../report.ts";
import { leftFactorLines, reportedNoHashes } from "../summary/export-summary.ts";
import { migratedBreaches, targetLimitsFlag } from "../summary/hash-limits.ts";
import { keptRows, leftBehindOf, usersByName } from "../summary/left-behind.ts";
import { numbersOf, OUTCOMES, objectRows, outcomesOf } from "../summary/numbers.ts";
import { removedRightsLines } from "../summary/undo-summary.ts";
import type { Labelled } from "./flow.ts";
import { html, type Markup } from "./markup.ts";

/** The numbers that decide whether the result is good; zeros that tell nothing are left out. */
export function tiles(report: AnyReport): Markup | undefined {
  return numberList(
    numbersOf(report).filter(({ isMain, isTold }) => isMain && isTold),
    "tiles",
  );
}

/** All other numbers, and the charts that would show a single value. */
export function otherNumbers(report: AnyReport): Markup | undefined {
  const hashes = hashesOf(report);
  const [only] = objectRows(report);
  const single = only === undefined || hasOtherObjects(report) ? [] : Object.entries(outcomesOf(only[1]));
  const found = [
    ...numbersOf(report).filter(({ isMain, isTold }) => !isMain && isTold),
    ...(hashes.length === 1
      ? hashes.map(({ label, value }) => ({ name: `${label} hashes`, value: count(value) }))
      : []),
    ...single.map(([outcome, value]) => ({ name: `${kindOfThing(only?.[0] ?? "")} ${outcome}`, value: count(value) })),
  ];
  const list = numberList(found, "tiles small");
  return list && html`<details><summary>Other numbers</summary>${list}</details>`;
}

function numberList(
  found: readonly { readonly name: string; readonly value: string }[],
  className: string,
): Markup | undefined {
  if (found.length === 0) return undefined;
  return html`<dl class="${className}">${found.map(({ name, value }) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** Users by the verifier of their hash, and the setting that the target needs; undefined for a single verifier that needs none. */
export function hashSection(report: AnyReport): Markup | undefined {
  const { hashes = {}, unverifiable = {} } = report;
  const known = hashesOf(report);
  const { withoutHash = 0 } = userCounts(report) ?? {};
  const setting = verifierSetting(Object.keys(hashes));
  const missing = verifierSetting([...Object.keys(hashes), ...Object.keys(unverifiable)]);
  const limits = limitsOf(report);
  if (known.length < 2 && setting === undefined && missing === undefined && limits.length === 0) return undefined;
  const without = withoutHash === 0 ? [] : [{ label: "without a hash", value: withoutHash }];
  return html`<section><h2>Password hashes by algorithm</h2>${known.length === 0 ? undefined : bars([...known, ...without])}
${setting === undefined ? undefined : html`<p>Required on the target: <code>${setting}</code></p>`}
${missing === undefined || missing === setting ? undefined : html`<p>Not written: ${usersByName(Object.entries(unverifiable))}. To write these too, set on the target: <code>${missing}</code></p>`}
${limits}</section>`;
}

/** Hashes of a migration that are out of limits of the target. An import asks the target, or warns. */
function limitsOf({ command, hashesOutOfLimits = [], targetVersion, targetLimits }: AnyReport): readonly Markup[] {
  if (!command.startsWith("migrate")) return [];
  const isEnforced = targetVersion !== undefined || targetLimits !== undefined;
  const flag = isEnforced ? html`, and migrate with <code>${targetLimitsFlag(hashesOutOfLimits)}</code>` : undefined;
  return migratedBreaches(hashesOutOfLimits, isEnforced).map(
    ({ what, setting }) =>
      html`<p>Hash limits: ${what}. To import them, set on the target: <code>${setting}</code>${flag}</p>`,
  );
}

function hashesOf({ hashes = {} }: AnyReport): readonly Labelled[] {
  return Object.entries(hashes)
    .map(([kind, value]) => ({ label: kind === "none" ? "unknown to the service" : kind, value }))
    .filter(({ value }) => value > 0)
    .sort((a, b) => b.value - a.value);
}

function bars(found: readonly Labelled[]): Markup | undefined {
  const most = found[0]?.value;
  if (most === undefined) return undefined;
  return html`<table class="bars"><thead><tr><th scope="col">algorithm</th><th scope="col" class="number">users</th></tr></thead><tbody>
${found.map(
  ({
    label,
    value,
  }) => html`<tr><th scope="row">${label}<svg class="bar calm" width="100%" height="6" aria-hidden="true"><rect width="${Math.max(0.5, (100 * value) / most).toFixed(1)}%" height="6" rx="2"/></svg></th><td class="number">${count(value)}</td></tr>
`,
)}</tbody></table>`;
}

/** False when a single number says it all. */
function hasOtherObjects(report: AnyReport): boolean {
  const rows = objectRows(report);
  return rows.reduce((sum, [, counts]) => sum + Object.keys(outcomesOf(counts)).length, 0) > 1;
}

/** All objects besides users; undefined when there is a single number of them. */
export function otherObjects(report: AnyReport): Markup | undefined {
  if (!hasOtherObjects(report)) return undefined;
  const rows = objectRows(report);
  const outcomes = OUTCOMES.filter(({ key }) => rows.some(([, counts]) => (counts[key] ?? 0) > 0));
  return html`<section><h2 id="others">Other objects</h2><div class="scroll" role="region" aria-labelledby="others" tabindex="0"><table><thead><tr><th scope="col">type</th>${outcomes.map(({ name }) => html`<th scope="col" class="number">${name}</th>`)}</tr></thead><tbody>
${rows.map(
  ([
    type,
    counts,
  ]) => html`<tr><th scope="row">${kindOfThing(type)}</th>${outcomes.map(({ key }) => html`<td class="number">${count(counts[key] ?? 0)}</td>`)}</tr>
`,
)}</tbody></table></div></section>`;
}

/** What written users lose. The keys are those of the types: the report was written by this very version. */
export function lossesSection(report: AnyReport): Markup | undefined {
  const { leftBehind, carriedBy } = report;
  const lacking = [...reportedNoHashes(report), ...leftFactorLines(report)];
  const lost = [...remarkLines(report, "loss"), ...lacking.map(capital)];
  const behind = leftBehind === undefined ? [] : leftBehindOf(leftBehind, carriedBy);
  if (lost.length + behind.length === 0) return undefined;
  return html`<section class="losses"><h2>What some users lose</h2><ul>${lost.map((line) => html`<li>${line}</li>`)}${behind.map(({ what, users, flag }) => html`<li><strong>${what}</strong>: ${users}${flag === undefined ? undefined : html`<br><code>${flag}</code>`}</li>`)}</ul></section>`;
}

function remarkLines(
  { remarks = {}, remarkedUsers = {}, loginNames = {} }: AnyReport,
  kind: "loss" | "notice",
): readonly string[] {
  const named = Object.entries(remarkedUsers).map(([remark, ids]) => [
    remark,
    ids.map((id) => idWithName(id, Object.hasOwn(loginNames, id) ? loginNames[id] : undefined)),
  ]);
  return describeRemarks(remarks as Partial<Record<Remark, number>>, Object.fromEntries(named), kind);
}

/** What else is worth knowing of the written users, and the rows that were left out. */
export function noticesSection(report: AnyReport): Markup | undefined {
  const { unexpected = [], removedRights = [], loginNames = {} } = report;
  const names = new Map(Object.entries(loginNames));
  // An anonymous page has no ids.
  const others = unexpected.filter((id) => id !== "").map((id) => idWithName(id, names.get(id)));
  const lines = [
    ...linesIf(
      unexpected.length > 0,
      `${unexpected.length < LISTED ? "" : "at least "}${counted(unexpected.length, "user or object is", "users or objects are")} on the target that the file lacks${others.length === 0 ? "" : `: ${others.join(", ")}`}`,
    ),
    ...removedRightsLines(removedRights, names).map(capital),
    ...remarkLines(report, "notice"),
    ...Object.entries(report.leftOut ?? {}).map(
      ([reason, times]) =>
        `${count(times)} left out: ${describeLeftOut(reason as LeftOutReason, reason === "deleted" ? report.leftOutUsers?.deleted.map(shown) : undefined)}`,
    ),
  ];
  if (lines.length === 0) return undefined;
  return html`<section><h2>Remarks</h2><ul>${lines.map((line) => html`<li>${line}</li>`)}</ul></section>`;
}

/** Every warning of the terminal, closed: most are part of the page in other words. */
export function warningsSection({ warnings = [] }: AnyReport): Markup | undefined {
  if (warnings.length === 0) return undefined;
  const items = warnings.map((one) => {
    const [first = "", ...more] = one.split("\n").map((line) => line.trim());
    return html`<li>${first}${more.map((line) => html`<br>${line}`)}</li>
`;
  });
  return html`<section><details><summary>Warnings of the terminal <span class="count">${count(warnings.length)}</span></summary><ul>${items}</ul></details></section>`;
}

/** What must be created on the target by other means. */
export function notCarriedSection({ notCarried = [] }: AnyReport): Markup | undefined {
  if (notCarried.length === 0) return undefined;
  return html`<section><h2>Not in any export</h2><p>Create these on the target by other means:</p><ul class="columns">${notCarried.map((what) => html`<li>${what}</li>`)}</ul></section>`;
}

/** The files that were written. */
export function outputsSection(report: AnyReport): Markup | undefined {
  const { command, outputs = [], output, sha256, rejects, manifest } = report;
  const exported =
    output === undefined && sha256 === undefined ? [] : [{ path: output, users: undefined, bytes: undefined, sha256 }];
  const files = [...outputs, ...exported];
  if (files.length === 0 && rejects === undefined && manifest === undefined) return undefined;
  const kept = command.startsWith("migrate") ? keptRows(report) : "rejected and failed items";
  return html`<section><h2>Files</h2><ul class="files">${files.map(
    ({
      path,
      users,
      bytes: size,
      sha256: sum,
    }) => html`<li>${path === undefined || path === "" ? "a file" : html`<code>${path === "-" ? "stdout" : path}</code>`}${users === undefined ? undefined : `, ${counted(users, "user")}`}${size === undefined ? undefined : `, ${bytes(size)}`}${sum === undefined ? undefined : html`<br><span class="faint">SHA-256 <code>${sum}</code></span>`}</li>
`,
  )}${rejects === undefined ? undefined : html`<li><code>${rejects}</code>, ${kept}, with the reasons</li>`}${manifest === undefined ? undefined : html`<li><code>${manifest}</code>, the ids of the created users: <code>orgferry undo</code> deletes these users</li>`}</ul></section>`;
}
