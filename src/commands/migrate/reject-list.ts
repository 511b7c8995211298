import type { RejectSink, RowKind } from "../../core/merge/merge-job.ts";
import type { RawRow, RowFrame } from "../../core/rows/row-file.ts";
import type { RejectsFolder } from "../../io/output/rejects-folder.ts";
import { describe } from "../../problem/describe.ts";
import { sentences } from "../../problem/description.ts";
import { count, LISTED, linesIf, shown } from "../../problem/format.ts";
import { describeReason, describeRowCause } from "../../problem/row.ts";
import type { RowFault, RowProblem } from "../../problem.ts";
import type { Report } from "../../ui/report.ts";
import { UnknownWords } from "./unknown-words.ts";

/** Rows that are rejected because of others: they are counted last. */
const CONSEQUENCE = describeReason({ code: "password.user-rejected" });

/** Number of rejects that the terminal shows. The rejects folder has all of them. */
const SHOWN = 10;

/** Counts, lists and keeps rejected rows and their reasons. */
export class RejectList implements RejectSink {
  readonly #report: Report;
  readonly #folder: RejectsFolder | undefined;
  readonly #flags: Readonly<Record<RowKind, string>>;
  readonly #counts = new Map<string, number>();
  /** The first ones: an error that says what the whole file is comes before them, and in place of them. */
  readonly #first: RowProblem[] = [];
  /** Counts of the others, by their text. */
  readonly #rest = new Map<string, number>();
  readonly #words = new UnknownWords();
  /** A column with values of no known form of a hash. */
  #unlikeHash: string | undefined;
  #total = 0;

  /** @param flags of the inputs, which name the files in the rejects folder. */
  constructor(report: Report, folder: RejectsFolder | undefined, flags: Readonly<Record<RowKind, string>>) {
    this.#report = report;
    this.#folder = folder;
    this.#flags = flags;
  }

  /** Number of all reasons. */
  get total(): number {
    return this.#total;
  }

  row(kind: RowKind, { bytes }: RawRow, frame: RowFrame): number | undefined {
    return this.#folder?.row(this.#flags[kind], bytes, frame);
  }

  reason(fault: RowFault, file: string, line: number, rejectLine: number | undefined): void {
    const { code, field } = fault;
    this.#counts.set(code, (this.#counts.get(code) ?? 0) + 1);
    this.#total += 1;
    if (code === "field.word") this.#words.add(field, fault.word);
    if (code === "field.hash" && fault.rule === "prefix") this.#unlikeHash ??= field;
    // There may be millions; the report lists the first ones only.
    if (this.#total <= LISTED) this.#report.add(problemAt(fault, file, line));
    if (this.#total <= SHOWN) this.#first.push(problemAt(fault, file, line));
    else {
      const words = describeReason(fault);
      this.#rest.set(words, (this.#rest.get(words) ?? 0) + 1);
    }
    this.#folder?.reason({ file, line, rejectLine, code, field, message: sentences(describeRowCause(fault)) });
  }

  /** Flags that read what was rejected: what words mean, and, of a provider that reads plain passwords, what may be some. */
  adviceLines(readsPlainPasswords: boolean): readonly string[] {
    const words = this.#words.lines();
    if (!readsPlainPasswords || this.#unlikeHash === undefined) return words;
    const column = shown(this.#unlikeHash);
    return [
      ...words,
      `if ${column} has plain passwords and no hashes, use --plain-passwords (and in --map password=${column} in place of hash=${column})`,
    ];
  }

  /** Words that are not known; undefined without any. */
  unknownWords(): ReturnType<UnknownWords["reported"]> {
    return this.#words.reported();
  }

  /** How often each reason occurred, the most frequent first. */
  counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(byFrequency(this.#counts));
  }

  /** The first reasons, and the number of the others, by kind. */
  lines(): readonly string[] {
    const advised = new Set<string>(); // advice is shown once
    const first = this.#first.map((problem) => {
      const { message, hint } = describe(problem);
      const isNew = !advised.has(problem.code);
      advised.add(problem.code);
      return `  ${hint !== undefined && isNew ? `${message} ${hint}` : message}`;
    });
    const rest = byFrequency(this.#rest);
    const isLast = ([words]: readonly [string, number]): boolean => words === CONSEQUENCE;
    return [
      ...first,
      ...linesIf(rest.length > 0, `  … and ${count(this.#total - SHOWN)} more:`),
      ...[...rest.filter((one) => !isLast(one)), ...rest.filter(isLast)].map(
        ([words, times]) => `  ${count(times).padStart(9)} × ${words}`,
      ),
    ];
  }
}

/** The problem of a fault: the same facts, with file and line. */
function problemAt(fault: RowFault, file: string, line: number): RowProblem {
  return { ...fault, file, line } as RowProblem;
}

function byFrequency(counts: ReadonlyMap<string, number>): readonly (readonly [string, number])[] {
  return [...counts].sort(([, a], [, b]) => b - a);
}
