import type { RejectSink, RowKind } from "../../core/merge/merge-job.ts";
import type { RawRow, RowFrame } from "../../core/rows/row-file.ts";
import type { RejectsFolder } from "../../io/output/rejects-folder.ts";
import { describe } from "../../problem/describe.ts";
import { sentences } from "../../problem/description.ts";
import { count, shown } from "../../problem/format.ts";
import { describeReason, describeRowCause } from "../../problem/row.ts";
import type { RowFault, RowProblem } from "../../problem.ts";
import { LISTED_PROBLEMS, type Report } from "../../ui/report.ts";
import type { Ui } from "../../ui/ui.ts";
import { UnknownWords } from "./unknown-words.ts";

/** Rows that are rejected because of others: they are counted last. */
const CONSEQUENCE = describeReason({ code: "password.user-rejected" });

/** Number of rejects that the terminal shows. The rejects folder has all of them. */
const SHOWN = 10;

/** Counts, lists, shows and keeps rejected rows and their reasons. */
export class RejectList implements RejectSink {
  readonly #ui: Ui;
  readonly #report: Report;
  readonly #folder: RejectsFolder | undefined;
  readonly #flags: Readonly<Record<RowKind, string>>;
  readonly #counts = new Map<string, number>();
  /** The first ones: an error that says what the whole file is comes before them, and in place of them. */
  readonly #first: RowProblem[] = [];
  /** Counts of the others, by their text. */
  readonly #rest = new Map<string, number>();
  /** Codes whose advice was shown: it is shown once. */
  readonly #advised = new Set<string>();
  readonly #words = new UnknownWords();
  /** A column with values of no known form of a hash. */
  #unlikeHash: string | undefined;
  #total = 0;

  /** @param flags of the inputs, which name the files in the rejects folder. */
  constructor(ui: Ui, report: Report, folder: RejectsFolder | undefined, flags: Readonly<Record<RowKind, string>>) {
    this.#ui = ui;
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
    if (this.#total <= LISTED_PROBLEMS) this.#report.add(problemAt(fault, file, line));
    if (this.#total <= SHOWN) this.#first.push(problemAt(fault, file, line));
    else {
      const words = describeReason(fault);
      this.#rest.set(words, (this.#rest.get(words) ?? 0) + 1);
    }
    this.#folder?.reason({ file, line, rejectLine, code, field, message: sentences(describeRowCause(fault)) });
  }

  #show(problem: RowProblem): void {
    const { message, hint } = describe(problem);
    const isNew = !this.#advised.has(problem.code);
    this.#advised.add(problem.code);
    this.#ui.say(`  ${hint !== undefined && isNew ? `${message} ${hint}` : message}`);
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

  /** Shows the first reasons, and the number of the others, by kind. */
  show(): void {
    for (const problem of this.#first) this.#show(problem);
    if (this.#rest.size === 0) return;
    this.#ui.say(`  … and ${count(this.#total - SHOWN)} more:`);
    const rest = byFrequency(this.#rest);
    const isLast = ([words]: readonly [string, number]): boolean => words === CONSEQUENCE;
    for (const [words, times] of [...rest.filter((one) => !isLast(one)), ...rest.filter(isLast)])
      this.#ui.say(`  ${count(times).padStart(9)} × ${words}`);
  }
}

/** The problem of a fault: the same facts, with file and line. */
function problemAt(fault: RowFault, file: string, line: number): RowProblem {
  return { ...fault, file, line } as RowProblem;
}

function byFrequency(counts: ReadonlyMap<string, number>): readonly (readonly [string, number])[] {
  return [...counts].sort(([, a], [, b]) => b - a);
}
