import type { RejectSink, RowKind } from "../../core/merge/merge-job.ts";
import type { RawRow, RowFrame } from "../../core/rows/row-file.ts";
import type { RejectsFolder } from "../../io/output/rejects-folder.ts";
import type { RowFault, RowProblem } from "../../problem.ts";
import { describe, describeRowCause } from "../../ui/describe.ts";
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
  #total = 0;

  /** @param flags of the inputs: what their files in the folder are called by. */
  constructor(ui: Ui, report: Report, folder: RejectsFolder | undefined, flags: Readonly<Record<RowKind, string>>) {
    this.#ui = ui;
    this.#report = report;
    this.#folder = folder;
    this.#flags = flags;
  }

  row(kind: RowKind, { bytes }: RawRow, frame: RowFrame): void {
    this.#folder?.row(this.#flags[kind], bytes, frame);
  }

  reason(fault: RowFault, file: string, line: number): void {
    const { code, field } = fault;
    this.#counts.set(code, (this.#counts.get(code) ?? 0) + 1);
    this.#total += 1;
    if (this.#total <= LISTED_PROBLEMS) this.#list({ ...fault, file, line } as RowProblem);
    if (this.#folder === undefined) return;
    const { message, hint } = describeRowCause(fault);
    this.#folder.reason({ file, line, code, field, message: hint === undefined ? message : `${message} ${hint}` });
  }

  /** A fault becomes a problem by being told where it is; the union is the same but for that. */
  #list(problem: RowProblem): void {
    this.#report.add(problem);
    if (this.#total <= SHOWN) this.#ui.say(`  ${describe(problem).message}`);
  }

  /** How often each reason occurred, the most frequent first. */
  counts(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#counts].sort(([, a], [, b]) => b - a));
  }

  /** Says how many reasons were not shown. */
  sayRest(): void {
    if (this.#total <= SHOWN) return;
    this.#ui.say(`  … and ${count(this.#total - SHOWN)} more:`);
    for (const [code, times] of Object.entries(this.counts())) this.#ui.say(`  ${count(times).padStart(9)} × ${code}`);
  }
}
