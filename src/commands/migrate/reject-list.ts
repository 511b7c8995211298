import type { RejectSink, RowKind } from "../../core/merge/merge-job.ts";
import type { RawRow, RowFrame } from "../../core/rows/row-file.ts";
import type { RejectsFolder } from "../../io/output/rejects-folder.ts";
import type { RowFault, RowProblem } from "../../problem.ts";
import { describe } from "../../ui/describe.ts";
import { describeReason } from "../../ui/describe-reason.ts";
import { describeRowCause } from "../../ui/describe-row.ts";
import { sentences } from "../../ui/description.ts";
import { count } from "../../ui/format.ts";
import { LISTED_PROBLEMS, type Report } from "../../ui/report.ts";
import type { Ui } from "../../ui/ui.ts";

/** As many are shown on the terminal; all of them are in the rejects folder. */
const SHOWN = 10;

/** Where rejected rows and their reasons are counted, listed, shown and kept. */
export class RejectList implements RejectSink {
  readonly #ui: Ui;
  readonly #report: Report;
  readonly #folder: RejectsFolder | undefined;
  readonly #flags: Readonly<Record<RowKind, string>>;
  readonly #counts = new Map<string, number>();
  /** Reasons that were not shown, in words. */
  readonly #rest = new Map<string, number>();
  /** What to do about a kind of fault is said with the first one. */
  readonly #advised = new Set<string>();
  #total = 0;

  /** @param flags of the inputs: what their files in the folder are called by. */
  constructor(ui: Ui, report: Report, folder: RejectsFolder | undefined, flags: Readonly<Record<RowKind, string>>) {
    this.#ui = ui;
    this.#report = report;
    this.#folder = folder;
    this.#flags = flags;
  }

  /** How many reasons there are. */
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
    // No more of them than are listed: there may be millions.
    if (this.#total <= LISTED_PROBLEMS) this.#report.add(problemAt(fault, file, line));
    if (this.#total <= SHOWN) this.#show(problemAt(fault, file, line));
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

  /** How often each reason occurred, the most frequent first. */
  counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(byFrequency(this.#counts));
  }

  /** Says how many reasons were not shown, and of which kinds. */
  sayRest(): void {
    if (this.#rest.size === 0) return;
    this.#ui.say(`  … and ${count(this.#total - SHOWN)} more:`);
    for (const [words, times] of byFrequency(this.#rest)) this.#ui.say(`  ${count(times).padStart(9)} × ${words}`);
  }
}

/** A fault becomes a problem by being told where it is; the union is the same but for that. */
function problemAt(fault: RowFault, file: string, line: number): RowProblem {
  return { ...fault, file, line } as RowProblem;
}

function byFrequency(counts: ReadonlyMap<string, number>): readonly (readonly [string, number])[] {
  return [...counts].sort(([, a], [, b]) => b - a);
}
