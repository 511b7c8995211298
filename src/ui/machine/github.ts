import {
  count,
  counted,
  duration,
  isPath,
  printable,
  printableJson,
  printableLines,
  withoutHashes,
} from "../../problem/format.ts";
import { isReason } from "../../problem/row.ts";
import { type Flow, flowOf } from "../html/flow.ts";
import {
  capital,
  changesOf,
  initialOf,
  kindOfThing,
  namedLines,
  type Reason,
  reasonLine,
  reasonsOf,
  recipientsOf,
  wordsOf,
} from "../reasons.ts";
import { type AnyReport, type ListedProblem, userCounts } from "../report.ts";
import { NO_MAIL_PROVIDER } from "../summary/import-plan.ts";
import { stoppedLines } from "../summary/import-summary.ts";
import { leftObjectsOf, objectLines } from "../summary/left-objects.ts";
import { numbersOf, objectRows, outcomesOf } from "../summary/numbers.ts";
import { stateRemarks, updateWarnings } from "../summary/update-plan.ts";

/** A message and its place. */
interface Listed {
  readonly message: string;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
}

/** GitHub shows at most ten annotations per step. */
const ANNOTATIONS = 10;

/** JSON on one line of a log, in which a runner finds no command. Its values are those of JSON.stringify. */
export function jsonLine(value: unknown): string {
  return printableJson(value).replace(/##(?=(?:vso)?\[)/gi, "#\\u0023");
}

/** True in a step of GitHub Actions. */
export function isGitHub(env: Readonly<Record<string, string | undefined>>): boolean {
  return env["GITHUB_ACTIONS"] === "true";
}

/** The command that hides a secret in all further logs of the runner. */
export function maskLine(secret: string): string {
  return `::add-mask::${encoded(secret)}`;
}

/**
 * Annotations, at most ten lines: the problem that ended the run, then each item, or each reason where the items are too many, as errors; then, as
 * warnings, the users and objects that the run leaves as they are.
 */
export function annotationLines(report: AnyReport): readonly string[] {
  const names = new Map(Object.entries(report.loginNames ?? {}));
  const left = [
    ...stateRemarks(report),
    ...(report.noMailProvider === true ? [NO_MAIL_PROVIDER] : []),
    ...initialOf(report),
    ...[
      ...updateWarnings(report.update ?? {}, true, names, { isCopy: report.command === "copy" }),
      ...leftObjectsOf(report),
    ].flatMap((one) => (one.isToDo ? [[one.words, ...objectLines(one)].join("\n")] : [])),
  ];
  const errors = report.exitCode === 0 ? [] : errorsOf(report);
  const all = [
    ...errors.map((one) => ({ ...one, kind: "error" as const })),
    ...left.map((message) => ({ message, kind: "warning" as const })),
  ];
  const rest = all.length - ANNOTATIONS;
  return all.slice(0, ANNOTATIONS).map(({ kind, message, ...place }, at) => {
    const isLast = rest > 0 && at === ANNOTATIONS - 1;
    const more = isLast ? `\n… and ${counted(rest, "more annotation")}; the summary of the job has the reasons` : "";
    return annotation(kind, { ...place, message: `${message}${more}` });
  });
}

function errorsOf(report: AnyReport): readonly Listed[] {
  const reasons = reasonsOf(report);
  const ends = endOf(report);
  const items = reasons.flatMap(ofItems);
  const isShort =
    ends.length + items.length <= ANNOTATIONS && reasons.every(({ named, times }) => named.length === times);
  return [...ends, ...(isShort ? items : reasons.map(ofReason))];
}

/** The problems that are not about a row: what ended the run, and how to continue a job that had begun. */
function endOf(report: AnyReport): readonly Listed[] {
  const [end, ...others] = report.problems.filter(({ code }) => !isReason(code));
  if (end === undefined) return [];
  return [{ ...end, message: [end.message, ...howToContinue(report, end)].join(" ") }, ...others];
}

/** Nothing for a job that had not begun, and for one that lacks only its report. */
function howToContinue({ otherObjects, calls = 0, resume, ...report }: AnyReport, end: ListedProblem) {
  const hasBegun = otherObjects !== undefined && calls > 0;
  if (!hasBegun || (resume === undefined && end.code.startsWith("output."))) return [];
  const unknown = (userCounts(report)?.["unknown"] ?? 0) - (report.unknownChanges ?? []).length;
  return stoppedLines(resume, unknown).map((line) => capital(line.trim()));
}

/** The items of a reason, with the reason. A rejected row says it itself. */
function ofItems(reason: Reason): readonly Listed[] {
  const { kind, message, hint = "", named } = reason;
  return named.map((one) => {
    const { file, line } = one;
    const words = wordsOf(one);
    const text = kind === "rejected" ? words : `${kind}: ${words}: ${message}. ${hint}`.trimEnd();
    return { message: text, file, line };
  });
}

function ofReason(reason: Reason): Listed {
  const [first] = reason.named;
  return { message: [reasonLine(reason), ...namedLines(reason)].join("\n"), file: first?.file, line: first?.line };
}

function annotation(kind: "error" | "warning", { message, file, line }: Listed): string {
  const isPlace = file !== undefined && isPath(file);
  const place = isPlace ? [`file=${property(file)}`, ...(line === undefined ? [] : [`line=${line}`])] : [];
  return `::${kind}${place.length === 0 ? "" : ` ${place.join(",")}`}::${data(withoutHashes(message))}`;
}

/** The run as Markdown for the page of the job: its numbers, why some items failed, and which users an update changed. */
export function jobSummary(report: AnyReport): string {
  const { command, exitCode, durationMs } = report;
  const verdict = exitCode === 0 ? "✅ done" : `❌ exit ${exitCode}`;
  const lines = [
    `### orgferry ${command}: ${verdict} (${duration(durationMs)})`,
    "",
    ...numbers(report),
    ...(exitCode === 0 ? [] : endOf(report).map(({ message }) => `- ${markdown(message)}`)),
    ...stateRemarks(report).flatMap((remark) => listed(remark, [])),
    ...reasonsOf(report).flatMap((reason) => listed(reasonLine(reason), namedLines(reason))),
    ...changesOf(report).flatMap(({ what, named }) => listed(what, named)),
    ...(report.noMailProvider === true ? listed(NO_MAIL_PROVIDER, []) : []),
    ...recipientsOf(report).flatMap(({ what, named }) => listed(what, named)),
    ...initialOf(report).flatMap((line) => listed(line, [])),
    ...leftObjectsOf(report).flatMap((left) => listed(left.words, objectLines(left))),
  ];
  return [...lines, ...otherWarnings(report, lines), ""].join("\n");
}

/** The warnings of the terminal that no line has, closed: many are in the summary in other words. */
function otherWarnings({ warnings = [] }: AnyReport, lines: readonly string[]): readonly string[] {
  const said = new Set(lines);
  const others = warnings
    .map((warning) => {
      const [first = "", ...more] = warning.split("\n");
      return listed(first, more);
    })
    .filter(([first = ""]) => !said.has(first));
  if (others.length === 0) return [];
  const title = `<details><summary>Warnings of the terminal (${count(others.length)})</summary>`;
  return ["", title, "", ...others.flat(), "", "</details>"];
}

function listed(line: string, items: readonly string[]): readonly string[] {
  return [`- ${markdown(line)}`, ...items.map((item) => `  - ${markdown(item.trim())}`)];
}

/** The instances, the outcome of the users, and the single numbers. */
function numbers(report: AnyReport): readonly string[] {
  const { source, target } = report;
  const { unit, start, middle, ends, beside } = flowOf(report) ?? NO_FLOW;
  const flow = [start, middle, ...ends, ...beside].flatMap(({ label, value }) =>
    label === "" ? [] : [[`${unit} ${label}`, count(value)] as const],
  );
  const rows = [
    ...Object.entries({ source, target }).flatMap(([name, host]) =>
      host === undefined ? [] : [[name, host] as const],
    ),
    ...flow,
    ...numbersOf(report).map(({ name, value }) => [name, value] as const),
    ...otherRows(report),
  ];
  return rows.length === 0 ? [] : table(["", ""], rows);
}

/** The objects besides users of which the run has more to say than that they are there. */
function otherRows(report: AnyReport): readonly (readonly [string, string])[] {
  const done = objectRows(report).flatMap(([type, counts]) =>
    Object.entries(outcomesOf({ ...counts, alreadyThere: 0 })).map(([name, value]) => [type, name, value] as const),
  );
  const missing = Object.entries(report.missingObjects ?? {}).map((of) => [of[0], "not on the target", of[1]] as const);
  return [...done, ...missing].map(([type, name, value]) => [`${kindOfThing(type)} ${name}`, count(value)]);
}

const NONE = { label: "", value: 0 };
const NO_FLOW: Flow = { unit: "", start: NONE, middle: NONE, ends: [], beside: [] };

function table(head: readonly [string, string], rows: readonly (readonly [string, string])[]): readonly string[] {
  const cells = rows.map(([name, value]) => `| ${markdown(name)} | ${markdown(value)} |`);
  return [`| ${markdown(head[0])} | ${head[1]} |`, "| --- | ---: |", ...cells, ""];
}

/** The text after `::`. */
function data(text: string): string {
  return encoded(printableLines(text));
}

/** As the runner decodes it. */
function encoded(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

/** Text that Markdown and HTML show unchanged, on one line. A hash is not shown. */
function markdown(text: string): string {
  return printable(withoutHashes(text).replace(/\s+/g, " "))
    .replace(/[\\`*_{}[\]<>|#~!]/g, (found) => `\\${found}`)
    .replaceAll("&", "&amp;");
}
