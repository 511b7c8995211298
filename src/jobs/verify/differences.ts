import { count, counted } from "../../ui/format.ts";
import type { Report } from "../../ui/report.ts";
import type { Ui } from "../../ui/ui.ts";

/** Something the target should have and has not. */
export interface Missing {
  readonly type: string;
  readonly id: string;
  readonly orgId?: string;
  readonly line?: number;
}

export interface Differences {
  readonly expected: number;
  readonly found: number;
  /** The first of them. */
  readonly missing: readonly Missing[];
  readonly missed: number;
  readonly unexpected: readonly string[];
  /** Users without an id: the service gave them one that nobody knows. */
  readonly notCheckable?: number;
}

const SHOWN = 20;

/** Says what is missing and puts it into the report (design: The report, `verify`). */
export function tellDifferences(
  { expected, found, missing, missed, unexpected, notCheckable = 0 }: Differences,
  { ui, report, file }: { readonly ui: Ui; readonly report: Report; readonly file: string },
): void {
  report.set({ expected, found, missing, unexpected, ...(notCheckable === 0 ? {} : { notCheckable }) });
  ui.say(`verified: ${count(found)} of ${count(expected)} found`);
  if (notCheckable > 0) ui.warn(`${counted(notCheckable, "user")} without userId cannot be compared.`);
  for (const { type, id, orgId, line } of missing.slice(0, SHOWN)) {
    const where = line === undefined ? "" : ` (${file === "-" ? "stdin" : file}:${line})`;
    ui.warn(`missing: ${type} ${id}${orgId === undefined ? "" : ` of organization ${orgId}`}${where}`);
  }
  if (missed > SHOWN) ui.warn(`… and ${counted(missed - SHOWN, "more", "more")}; --report lists them.`);
  if (unexpected.length > 0) ui.detail(`the target has at least ${counted(unexpected.length, "other object")}.`);
}
