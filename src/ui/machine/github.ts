import { count, duration, printable, printableLines, withoutHashes } from "../../problem/format.ts";
import { describeReason } from "../../problem/row.ts";
import type { AnyReport } from "../report.ts";

/** A message and its place. */
interface Listed {
  readonly message: string;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
}

/** GitHub shows at most ten annotations per step. */
const ANNOTATIONS = 10;
const LISTED = 20;

/** JSON on one line of a log, in which a runner finds no command. Its values are those of JSON.stringify. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value)
    .replace(/##(?=(?:vso)?\[)/gi, "#\\u0023")
    .replace(/[\u0085\u2028\u2029]/g, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** True in a step of GitHub Actions. */
export function isGitHub(env: Readonly<Record<string, string | undefined>>): boolean {
  return env["GITHUB_ACTIONS"] === "true";
}

/** The command that hides a secret in all further logs of the runner. */
export function maskLine(secret: string): string {
  return `::add-mask::${encoded(secret)}`;
}

/** Annotations, at most ten lines: first the problem that ended the run, then rows and users. */
export function annotationLines(report: AnyReport): readonly string[] {
  if (report.exitCode === 0) return [];
  const all = [...ended(report.problems), ...failuresOf(report)];
  const shown = all.slice(0, all.length > ANNOTATIONS ? ANNOTATIONS - 1 : ANNOTATIONS).map(annotation);
  const rest = all.length - shown.length;
  return rest === 0 ? shown : [...shown, `::error::${data(`… and ${count(rest)} more; the report lists them.`)}`];
}

/** Moves the problem that ended the run, the last one, to the front. */
function ended(problems: readonly Listed[]): readonly Listed[] {
  const last = problems.at(-1);
  return last === undefined || last.line !== undefined ? problems : [last, ...problems.slice(0, -1)];
}

function annotation({ message, file, line }: Listed): string {
  const place = [
    ...(file === undefined || file === "-" ? [] : [`file=${property(file)}`]),
    ...(file === undefined || file === "-" || line === undefined ? [] : [`line=${line}`]),
  ];
  return `::error${place.length === 0 ? "" : ` ${place.join(",")}`}::${data(withoutHashes(message))}`;
}

/** Failures of an import, and what a comparison misses. */
function failuresOf({ failures = [], missing = [], different = [] }: AnyReport): readonly Listed[] {
  return [
    ...failures.map(({ type = "", id, message, cause, file, line }) => {
      return { file, line, message: `${type} ${id}: ${message || cause}` };
    }),
    ...(typeof missing === "number" ? [] : missing).map(({ type, id, file, line }) => {
      return { file, line, message: `missing: ${type} ${id}` };
    }),
    ...different.map(({ type, id, file, line, fields }) => {
      return { file, line, message: `different: ${type} ${id}: ${fields.join(",")}` };
    }),
  ];
}

/** The run as Markdown for the page of the job: all numbers, and the first failures. */
export function jobSummary(report: AnyReport): string {
  const { command, exitCode, durationMs, problems } = report;
  const verdict = exitCode === 0 ? "✅ done" : `❌ exit ${exitCode}`;
  const failed = exitCode === 0 ? [] : [...ended(problems), ...failuresOf(report)];
  const rest = failed.length - LISTED;
  return [
    `### orgferry ${command}: ${verdict} (${duration(durationMs)})`,
    "",
    ...tables(report),
    ...failed.slice(0, LISTED).map(({ message, file, line }) => {
      const named = file === "-" ? "stdin" : file;
      const at = named === undefined ? "" : `${named}${line === undefined ? "" : `:${line}`}`;
      const words = at !== "" && message.startsWith(`${at}: `) ? message.slice(at.length + 2) : message;
      return `- ${at === "" ? "" : `\`${code(at)}\` `}${markdown(words)}`;
    }),
    ...(rest > 0 ? [`- … and ${count(rest)} more`] : []),
    "",
  ].join("\n");
}

/** A table for each group of numbers, and one for single numbers and texts. */
function tables(report: AnyReport): readonly string[] {
  const { schemaVersion, command, version, exitCode, startedAt, durationMs, problems, ...fields } = report;
  const alone = Object.entries(fields).filter(([, value]) => typeof value === "number" || typeof value === "string");
  const groups = Object.entries(fields).filter(([, value]) => isNumbers(value)) as [string, Record<string, number>][];
  return [
    ...(alone.length === 0 ? [] : table(["", ""], alone)),
    ...groups.flatMap(([name, numbers]) =>
      table(
        [name, ""],
        Object.entries(numbers).map(([key, value]) => [
          name === "reasons" ? describeReason({ code: key }) : key,
          value,
        ]),
      ),
    ),
  ];
}

function table(head: readonly [string, string], rows: readonly (readonly [string, unknown])[]): readonly string[] {
  const cells = rows.map(([name, value]) => {
    const text = typeof value === "number" ? count(value) : markdown(String(value));
    return `| ${markdown(name)} | ${text} |`;
  });
  return [`| ${markdown(head[0])} | ${head[1]} |`, "| --- | ---: |", ...cells, ""];
}

function isNumbers(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const values = Object.values(value);
  return values.length > 0 && values.every((one) => typeof one === "number");
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

function code(text: string): string {
  return printable(text.replace(/[`\s|]+/g, " "));
}
