import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { JOURNAL_VERSION, type JournalEntry } from "../../../src/core/transfer/journal-entries.ts";
import { readJournal } from "../../../src/io/journal/journal.ts";
import { toRecord } from "../../../src/io/journal/record.ts";
import { ProblemError } from "../../../src/problem.ts";
import type { Notes } from "../checks/findings.ts";
import { damagedJournal } from "../input/damage.ts";
import { hexDigits, type Random } from "../random.ts";
import { tempFolder } from "../trials/scene.ts";

/** A damaged journal is refused, or a beginning of what was written. */
export function journalCase(random: Random, notes: Notes): void {
  const written = randomEntries(random);
  let checksum = "";
  let text = "";
  for (const entry of written) {
    const record = toRecord(entry, checksum);
    checksum = record.checksum;
    text += `${record.line}\n`;
  }
  const folder = tempFolder();
  const path = join(folder, "j");
  writeFileSync(path, damagedJournal(random, Buffer.from(text)), { mode: 0o600 });
  const read: JournalEntry[] = [];
  try {
    readJournal(path, (entry) => read.push(entry));
    const isBeginning = read.every((entry, at) => isDeepStrictEqual(entry, written[at]));
    notes.expect(isBeginning, `another story: ${JSON.stringify(read).slice(0, 400)}`);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function randomEntries(random: Random): JournalEntry[] {
  const job = {
    id: random.text(hexDigits, 32),
    schemaVersion: JOURNAL_VERSION,
    container: "dataOrgs",
    routing: "dataOrgs via auto",
  } as const;
  const input = random.text(hexDigits, 64);
  const resume = { command: "orgferry import 'é b' --resume", journal: "j", folder: random.pick(["", ".."]) };
  const head = { ...job, input, target: "http://h", mark: "2026-03-01T08:00:00Z" };
  const entries: JournalEntry[] = [{ kind: "job", ...head, ...(random.chance(0.5) ? { resume } : {}) }];
  for (let at = 0; at < random.below(12); at += 1) {
    const range = { from: at * 10, to: at * 10 + 9 };
    entries.push({ kind: "sending", ...range });
    if (random.chance(0.2)) continue;
    entries.push({
      kind: "done",
      ...range,
      way: random.pick(["import", "users"] as const),
      users: 10,
      created: random.below(10),
      made: random.chance(0.5) ? [[range.from, range.to]] : [],
      alreadyThere: 0,
      failed: random.below(3),
      unknown: random.chance(0.2) ? ["é", "x"] : [],
      open: [],
      untold: 0,
      carried: [],
      others: random.chance(0.3) ? { org: { created: 1, alreadyThere: 0, failed: 0 } } : {},
      failures: [],
    });
  }
  return entries;
}
