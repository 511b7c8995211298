import { count, counted, duration, moment } from "../../problem/format.ts";
import { describeReason, isReason } from "../../problem/row.ts";
import type { Problem } from "../../problem.ts";
import { type AnyReport, userCounts } from "../report.ts";
import { baseName } from "./findings.ts";
import type { Tone } from "./flow.ts";
import { html, type Markup, withoutBreaks } from "./markup.ts";

/** Exit codes in words. */
const VERDICTS: Readonly<Record<number, Verdict>> = {
  0: { words: "Done", tone: "good" },
  1: { words: "Finished; some items failed", tone: "bad" },
  2: { words: "Not started: invalid command line", tone: "bad" },
  3: { words: "Stopped: problem with a file", tone: "bad" },
  4: { words: "Stopped: the service refused the token", tone: "bad" },
  5: { words: "Stopped by the service", tone: "bad" },
  6: { words: "Stopped by the network or the time limit", tone: "bad" },
  130: { words: "Interrupted", tone: "open" },
  143: { words: "Interrupted", tone: "open" },
};
const NOT_CONFIRMED = "Stopped: not confirmed";
/** What the exit codes of files and of the command line mean, too: no consent, by the problem. */
const NO_CONSENT: Readonly<Record<string, string>> = {
  "run.too-many-mails": "Stopped: more e-mails than --max-mails allows",
  "run.declined": NOT_CONFIRMED,
  "run.not-confirmed": NOT_CONFIRMED,
  "usage.mails-not-confirmed": NOT_CONFIRMED,
} satisfies Partial<Record<Problem["code"], string>>;
/** What exit code 1 means for other commands. */
const PARTIAL: Readonly<Record<string, string>> = {
  verify: "Finished: the target differs from the file",
  undo: "Finished; some users were not deleted",
  diff: "Finished: settings differ, or could not be read",
  invite: "Finished; some users got no e-mail",
};
const CONFLICTS = "Finished; some users have conflicts and were not changed";
const BUG: Verdict = { words: "Stopped by a bug in orgferry", tone: "bad" };

/** What went where, its result, the instances and the time. */
export function headOf(report: AnyReport): Markup {
  const { source, target, startedAt, durationMs, exitCode, version, organizations = [] } = report;
  const { words, tone } = verdictOf(report);
  const name = nameOf(report);
  const subject = subjectOf(report);
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["organizations", organizations.length > 1 ? organizations.map(organizationName).join(", ") : undefined],
    ["source", source],
    ["target", target],
    ["started", moment(startedAt)],
    ["took", duration(durationMs)],
    ["exit code", String(exitCode)],
    ["orgferry", version],
  ];
  const title =
    subject === undefined
      ? html`<h1>${name}</h1>`
      : html`<p class="command">${name}</p><h1><bdi>${subject.from}</bdi> → <bdi>${subject.to}</bdi></h1>`;
  return html`<header>${title}
<p class="verdict ${tone}">${words}</p>
${verified(report)}
<dl class="facts">${facts.map(([fact, value]) => (value === undefined ? html`` : html`<div><dt>${fact}</dt><dd>${value}</dd></div>`))}</dl>
</header>
${stoppedBy(report)}`;
}

interface Verdict {
  readonly words: string;
  readonly tone: Tone;
}

function verdictOf(report: AnyReport): Verdict {
  const { command, exitCode, dryRun, problems } = report;
  const verdict = VERDICTS[exitCode] ?? BUG;
  if (dryRun === true && exitCode <= 1) {
    const words = command === "undo" ? "Dry run: no user was deleted" : "Dry run: nothing was sent";
    const partial = command === "undo" ? "some users would be kept" : "the run would end with exit code 1";
    return exitCode === 0 ? { words, tone: "calm" } : { words: `${words}; ${partial}`, tone: "bad" };
  }
  const noConsent = problems.map(({ code }) => NO_CONSENT[code]).find((words) => words !== undefined);
  const words = exitCode === 1 ? (PARTIAL[command] ?? conflictsOnly(report)) : noConsent;
  return words === undefined ? verdict : { ...verdict, words };
}

/** From where to where: files or an instance, and an organization, an instance or a file; undefined where the report does not say. */
function subjectOf({
  inputs = [],
  organizations = [],
  source,
  target,
  output,
}: AnyReport): { readonly from: string; readonly to: string } | undefined {
  const [first, ...others] = inputs;
  const from =
    first === undefined
      ? source
      : `${first === "-" ? "stdin" : baseName(first)}${others.length === 0 ? "" : ` and ${counted(others.length, "more file", "more files")}`}`;
  const [org, ...rest] = organizations;
  const written = output === undefined ? undefined : output === "-" ? "stdout" : baseName(output);
  const to =
    org === undefined
      ? (target ?? written)
      : rest.length === 0
        ? organizationName(org)
        : `${counted(organizations.length, "organization")}${target === undefined ? "" : ` of ${target}`}`;
  return from === undefined || to === undefined ? undefined : { from, to };
}

/** "Acme (4007…)", or "organization 4007…" without a name. */
function organizationName({ orgId, name }: { readonly orgId: string; readonly name?: string | undefined }): string {
  return name === undefined ? `organization ${orgId}` : `${name} (${orgId})`;
}

/** The verdict of an update that left nothing but conflicts. */
function conflictsOnly(report: AnyReport): string | undefined {
  const { conflict = 0, failed = 0, unknown = 0, notSent = 0, skipped = 0 } = userCounts(report) ?? {};
  const isRest = failed + unknown + notSent + skipped + (report.failures?.length ?? 0) > 0;
  return conflict > 0 && !isRest && report.expected === undefined ? CONFLICTS : undefined;
}

/** What the comparison after an import found. */
function verified(report: AnyReport): Markup | undefined {
  const { command, expected, found, identical, differentCount = 0 } = report;
  if (command === "verify" || expected === undefined || found === undefined || identical === undefined)
    return undefined;
  return html`<p class="verdict ${found - differentCount === expected ? "good" : "bad"}">Verified: ${count(identical)} of ${count(expected)} as in the input</p>`;
}

/** The problem that ended the run, and the command that continues it. */
function stoppedBy({ problems, resume }: AnyReport): Markup {
  const ending = problems.filter(({ code }) => !isReason(code));
  if (ending.length === 0 && resume === undefined) return html``;
  return html`<section class="stopped" aria-label="what ended the run">${ending.map(({ code, message }) => html`<p>${message === "" ? html`The run ended with <code>${describeReason({ code })}</code>.` : message}</p>`)}
${resume === undefined ? undefined : html`<p>To continue:</p><pre><code>${withoutBreaks(resume)}</code></pre>`}</section>`;
}

/** The page's name in a tab or a folder. */
export function titleOf(report: AnyReport): string {
  const name = nameOf(report);
  const subject = subjectOf(report);
  if (subject !== undefined) return `${subject.from} → ${subject.to} (${name})`;
  const { read, created, written } = userCounts(report) ?? {};
  const done = created === undefined ? written : created;
  return read === undefined || done === undefined || report.dryRun === true
    ? name
    : `${name}: ${counted(read, "user")} read, ${count(done)} ${created === undefined ? "written" : "created"}`;
}

/** "orgferry import, dry run". */
function nameOf({ command, dryRun }: AnyReport): string {
  return `orgferry ${command}${dryRun === true ? ", dry run" : ""}`;
}
