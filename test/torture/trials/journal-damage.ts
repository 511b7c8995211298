import { readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Notes } from "../checks/findings.ts";
import type { RunResult } from "../checks/import-checks.ts";
import { damagedJournal } from "../input/damage.ts";
import type { Random } from "../random.ts";

const NEWLINE = 0x0a;
const REFUSALS = /^(?:journal\.(?:broken|not-one|other-version|left-over)|input\.changed)$/;

/** A journal that was damaged between two runs, and as it was. */
export interface Damage {
  readonly path: string;
  readonly before: Buffer;
  readonly after: Buffer;
  /** What is left is a beginning of what was: the program must take it for a run that died earlier. */
  readonly isBeginning: boolean;
}

export function damage(random: Random, path: string): Damage {
  const before = readFileSync(path);
  const after = damagedJournal(random, before);
  writeFileSync(path, after, { mode: 0o600 });
  const whole = after.subarray(0, after.lastIndexOf(NEWLINE) + 1);
  return { path, before, after, isBeginning: before.subarray(0, whole.length).equals(whole) };
}

/**
 * A damaged journal is either refused or a beginning of the original: never another story. Restores the original.
 * True when it was refused, or the run was interrupted before it read the journal.
 */
export function checkDamage(
  { exitCode, report }: RunResult,
  { path, before, isBeginning }: Damage,
  notes: Notes,
): boolean {
  const isRefused = exitCode === 3 && report?.problems.some(({ code }) => REFUSALS.test(code)) === true;
  const isUnread = (exitCode === 130 || exitCode === 143) && report?.users === undefined;
  notes.expect(isRefused || isBeginning || isUnread, `a damaged journal was taken: exit ${exitCode}`);
  if (!isRefused && (!isUnread || isBeginning)) return false;
  rmSync(path, { force: true });
  writeFileSync(path, before, { mode: 0o600 });
  return true;
}
