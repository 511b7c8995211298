import { hash } from "node:crypto";
import { parsedJson } from "../../core/json/members.ts";
import { JOURNAL_VERSION, JournalEntry } from "../../core/transfer/journal-entries.ts";
import { ProblemError } from "../../problem.ts";

/** The end of a line. The checksum covers the entry and, by the checksum of the previous record, all records before it. */
const CHECKSUM = /,"checksum":"[0-9a-f]{16}"\}$/;

/** An entry as a line of the journal, without the line break. `before` is the checksum of the previous record, "" for the first. */
export function toRecord(entry: JournalEntry, before: string): { readonly line: string; readonly checksum: string } {
  return withChecksum(JSON.stringify(entry), before);
}

/** The entry that a line holds; `line` counts from 1. Raises journal.broken, journal.other-version. */
export function readRecord(
  text: string,
  before: string,
  { path, line }: { readonly path: string; readonly line: number },
): { readonly entry: JournalEntry; readonly checksum: string } {
  const body = text.replace(CHECKSUM, "}");
  const record = withChecksum(body, before);
  const entry = parsedJson(body) as { readonly schemaVersion?: unknown } | undefined; // the first line begins like an object
  if (line === 1 && entry !== undefined && entry.schemaVersion !== JOURNAL_VERSION) {
    throw new ProblemError({ code: "journal.other-version", journal: path });
  }
  const parsed = JournalEntry.safeParse(entry);
  if (text !== record.line || !parsed.success) throw new ProblemError({ code: "journal.broken", journal: path, line });
  return { entry: parsed.data, checksum: record.checksum };
}

function withChecksum(body: string, before: string): { readonly line: string; readonly checksum: string } {
  const checksum = hash("sha256", before + body).slice(0, 16);
  return { line: `${body.slice(0, -1)},"checksum":"${checksum}"}`, checksum };
}
