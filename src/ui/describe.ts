import { bytes, count, counted, place } from "../problem/format.ts";
import type { MissingColumn, Problem, RowProblem, RunProblem } from "../problem.ts";
import { describeFetch, isFetchProblem } from "./describe-fetch.ts";
import { describeRow } from "./describe-row.ts";
import { describeService } from "./describe-service.ts";
import type { Description } from "./description.ts";

/** The only prose for failures. Never holds the content of a row, a hash or a token. */
export function describe(problem: Problem): Description {
  return "line" in problem && /^(row|field|element|user|password)\./.test(problem.code)
    ? describeRow(problem as RowProblem) // the code says which half of the union it is
    : describeRun(problem as RunProblem);
}

function documents({ documents: all }: { readonly documents: readonly { name: string; rows: number }[] }): string {
  return all.map(({ name, rows }) => `${name} (${count(rows)})`).join(", ");
}

function missingColumn({ name, suggestion, isAmbiguous }: MissingColumn): string {
  if (isAmbiguous === true) return `that alone is ${name}: several are written much alike`;
  return suggestion === undefined ? name : `${name} (did you mean ${suggestion}?)`;
}

/** As many are named. */
const NAMED_COLUMNS = 60;

function columnsOf(columns: readonly string[]): string {
  const more = columns.length > NAMED_COLUMNS ? `, and ${count(columns.length - NAMED_COLUMNS)} more` : "";
  return `It has ${columns.slice(0, NAMED_COLUMNS).join(", ")}${more}.`;
}

function describeRun(problem: RunProblem): Description {
  switch (problem.code) {
    case "usage.invalid":
      return { message: problem.message };
    case "usage.empty-path":
      return { message: `${problem.flag} is empty.`, hint: "Is a variable of the script not set?" };
    case "usage.no-such-column":
      return {
        message: `the table has no column ${problem.missing.map(missingColumn).join(", and none called ")}.`,
        hint: columnsOf(problem.columns),
      };
    case "usage.no-column-for":
      return {
        message: `no column is ${problem.fields.join(" or ")}.`,
        hint: `Name it with --map ${problem.fields.map((field) => `${field}=<column>`).join(",")}. ${columnsOf(problem.columns)}`,
      };
    case "usage.unknown-table":
      return {
        message: "nobody said which column is what, and the first row is of no table that is known.",
        hint: `${problem.general === undefined ? "" : `Try --preset ${problem.general.preset}, which takes it as ${problem.general.mapping}; or `}${problem.general === undefined ? "Name" : "name"} the columns with --map userId=<column>,email=<column>,… or --preset ${problem.presets.join("|")}. ${columnsOf(problem.columns)}`,
      };
    case "usage.no-header":
      return {
        message: "the first row holds a user, not the names of the columns.",
        hint: `Put a row of names in front; a file of firebase auth:export goes with --preset ${problem.preset}.`,
      };
    case "usage.plain-passwords":
      return {
        message: "--map password=<column> is for passwords themselves.",
        hint: "Add --plain-passwords to have them hashed; the hashes of passwords go with --map hash=<column>.",
      };
    case "usage.conflict":
      return {
        message: `${problem.flags[0]} and ${problem.flags[1]} cannot be used together.`,
        hint: "Use one of them.",
      };
    case "usage.same-output":
      return {
        message: `${problem.flags[0]} and ${problem.flags[1]} would both write ${problem.path}.`,
        hint: "Name another path.",
      };
    case "usage.output-is-input":
      return { message: `${problem.flag} would overwrite the input ${problem.path}.`, hint: "Name another path." };
    case "input.missing":
      return {
        message: `${problem.file}: no such file.`,
        hint: problem.flag.startsWith("--") ? `Name it with ${problem.flag}.` : "Is the name right, and the folder?",
      };
    case "input.same-file":
      return {
        message: `${problem.flags[0]} and ${problem.flags[1]} are the same file, ${problem.file}; nothing was written.`,
        hint: "Name the other one.",
      };
    case "input.wrong-kind":
      return describeWrongKind(problem);
    case "input.unreadable":
      return { message: `${place(problem)}: cannot be read (${problem.reason}).` };
    case "input.directory":
      return { message: `${problem.file}: is a directory.`, hint: "Name a file." };
    case "input.terminal":
      return {
        message: `${place(problem)} is a terminal, and ${problem.flag} needs a file or a pipe.`,
        hint: "Name a file, or pipe it in.",
      };
    case "input.changed":
      return {
        message: `${problem.file}: changed while it was being read.`,
        hint: "Run again when nothing writes to it.",
      };
    case "input.gzip":
      return {
        message: `${place(problem)}: ${problem.truncated ? "the gzip data ends too early" : "the gzip data is damaged"}.`,
        hint: "Download or copy the file again.",
      };
    case "input.empty":
      return {
        message: `${place(problem)}: is empty.`,
        hint: "Is it the right file, and did the command that wrote it succeed?",
      };
    case "input.no-rows":
      return { message: `${place(problem)}: contains no rows.`, hint: "Is it the right file?" };
    case "input.not-lines":
      return {
        message: `${place(problem)}: ${problem.shape === "array" ? "is a JSON array" : "has objects that span lines"}, and --multiline takes each line for one object.`,
        hint: "Leave --multiline out: the form of the file is found out by looking.",
      };
    case "input.no-files":
      return { message: `${problem.file}: contains no file that could be read.`, hint: "Is it the right folder?" };
    case "input.unfit":
      return { message: `${place(problem)}: this is ${problem.what}.`, hint: problem.instead };
    case "input.several-documents":
      return {
        message: `${place(problem)}: it contains users of several ${problem.key}s: ${documents(problem)}.`,
        hint: `Choose one with ${problem.flag}.`,
      };
    case "input.no-such-document":
      return {
        message: `${place(problem)}: it contains no users of a ${problem.key} named ${problem.wanted}, but of ${documents(problem)}.`,
        hint: `Choose one of these with ${problem.flag}.`,
      };
    case "input.name-too-late":
      return {
        message: `${place(problem)}: the ${problem.key} stands behind its users, and another one is wanted.`,
        hint: `Give each ${problem.key} as a file of its own, or put "${problem.key}" first.`,
      };
    case "input.broken-table":
      return {
        message: `${place(problem)}: the table is not valid here: a quote is missing, or is inside a value.`,
        hint: "Fix the row, or export the table again; nothing was written.",
      };
    case "input.not-utf8":
      return { message: `${place(problem)}: is not valid UTF-8.`, hint: "Save the file as UTF-8." };
    case "input.no-readable-row":
      return {
        message: `${place(problem)}: none of its ${counted(problem.rows, "row")} is a JSON object.`,
        hint: "Is it the right file, in JSON or NDJSON?",
      };
    case "input.malformed":
      return {
        message: `${place(problem)}: the JSON is not valid here.`,
        hint: "Fix the file, or export it again; nothing was written.",
      };
    case "input.unclosed":
      return {
        message: `${place(problem)}: the value that begins on this line never ends; the file may be cut off.`,
        hint: "Export or copy it again; nothing was written.",
      };
    case "input.row-too-long":
      return {
        message: `${place(problem)}: one row is longer than ${bytes(problem.limitBytes)}.`,
        hint: "Is it the right file, in JSON or NDJSON?",
      };
    case "input.too-deep":
      return {
        message: `${place(problem)}: what begins at this line is nested deeper than ${count(problem.limit)} levels.`,
        hint: "Is it the right file?",
      };
    case "input.seed":
      return { message: `${problem.file}: not a valid seed for the mock: ${problem.reason}.`, hint: "Fix the file." };
    case "net.listen":
      return {
        message: `cannot listen on ${problem.host} port ${problem.port} (${problem.reason}).`,
        hint: "Choose another port with --port; 0 picks a free one.",
      };
    case "output.unwritable":
      return {
        message: `${problem.file}: cannot be written (${problem.reason}).`,
        hint:
          problem.flag === undefined
            ? "Check the path and its permissions."
            : `Name a place that can be written to with ${problem.flag}.`,
      };
    case "output.full":
      return {
        message: `${problem.file}: no space left on the disk.`,
        hint:
          problem.flag === undefined
            ? "Free some space and run again; the half-written file was removed."
            : `Free some space, or name a place that has more with ${problem.flag}, and run again.`,
      };
    case "output.planted":
      return {
        message: `${problem.file}: nothing is written through ${problem.at}, which another user of this machine may have put there.`,
        hint: "Remove it, or name another path.",
      };
    case "output.kept":
      return {
        message: `no user got through, so ${problem.file} was left as it is.`,
        hint: "Are these the right input files? Otherwise name another output.",
      };
    case "run.strict":
      return {
        message: `${counted(problem.rejected, "row")} rejected; with --strict, no body is written.`,
        hint: "Fix them, or run without --strict.",
      };
    case "run.not-confirmed":
      return { message: "nothing was removed." };
    case "run.too-many-mails":
      return {
        message: `${counted(problem.mails, "person", "people")} would get a mail from ${problem.host}, and --max-mails allows ${count(problem.limit)}; nothing was sent.`,
        hint: "Allow more, or send nobody a mail with --no-mail.",
      };
    case "run.declined":
      return { message: "nothing was sent.", hint: "With --no-mail nobody gets a mail." };
    case "run.aborted":
      if (problem.allSent === true)
        return {
          message: "interrupted; everything was sent, but the comparison did not finish.",
          hint: "Run orgferry verify to compare.",
        };
      return problem.midway === true
        ? { message: "interrupted; what the service has done so far stays." }
        : { message: "interrupted; nothing was written." };
    default:
      return isFetchProblem(problem) ? describeFetch(problem) : describeService(problem);
  }
}

/** Said of a temporary file of which it is not known whether the run that made it still goes on. */
export function orphanLine(path: string): string {
  return `${path} was made by a run on another machine, in another container or before this machine was restarted. Remove it if that run is over: it may hold password hashes.`;
}

function describeWrongKind({ file, found, wanted }: Extract<RunProblem, { code: "input.wrong-kind" }>): Description {
  const name = place({ file });
  switch (found.kind) {
    case "body":
      return { message: `${name}: is an import body already.`, hint: `Send it with orgferry import ${name}.` };
    case "export":
      return { message: `${name}: is an export of an instance.`, hint: `Send it with orgferry import ${name}.` };
    case "export-v1":
      return {
        message: `${name}: is an export of an instance of the first major version.`,
        hint: `Send it with orgferry import ${name}.`,
      };
    case "source": {
      const what = `${name}: by its fields it is a file for --${found.flag} of ${found.title}`;
      if (wanted === undefined) {
        const hint = `Make a body of it first: orgferry migrate ${found.source} --org <id> --${found.flag} ${name}`;
        return { message: `${what}, no body and no export; nothing was sent.`, hint };
      }
      return wanted.source === found.source
        ? { message: `${what}, and was given to --${wanted.flag}.`, hint: "Were the two files mixed up?" }
        : { message: `${what}.`, hint: `Use orgferry migrate ${found.source}.` };
    }
    default:
      return found satisfies never;
  }
}
