import { join } from "node:path";
import { expect, test } from "vitest";
import type { JournalEntry } from "../../../../src/core/transfer/journal-entries.ts";
import { createJournal } from "../../../../src/io/journal/journal.ts";
import { readDiscarded } from "../../../../src/jobs/import/discarded.ts";
import { doneEntry, jobEntry } from "../../../helpers/journal-entries.ts";
import { tempDir } from "../../../helpers/temp-dir.ts";

test("of a discarded run, created users are kept, and users with an unknown outcome are checked again", () => {
  const path = join(tempDir(), "journal.ndjson");
  const entries = [
    jobEntry,
    doneEntry(0, 9, { created: 10, made: [[0, 9]] }),
    // The answer did not mention one user.
    doneEntry(10, 19, { created: 4, made: [[10, 13]], unknown: ["u15"] }),
    { kind: "sending" as const, from: 20, to: 29 },
  ];
  createJournal(path, { check() {} }, entries).close();
  expect(readDiscarded(path, () => true)).toEqual({
    kept: { job: jobEntry, earlier: { kind: "earlier", made: [[0, 13]], lost: [[14, 29]] } },
    other: undefined,
    isWhole: true,
  });
  expect(readDiscarded(path, () => false)).toEqual({
    kept: undefined,
    other: { created: 14, healing: [] },
    isWhole: true,
  });
});

test("the journal of another job must stay if it may have created users, or was recreating one", () => {
  const otherOf = (...entries: readonly JournalEntry[]) => {
    const path = join(tempDir(), "journal.ndjson");
    createJournal(path, { check() {} }, [jobEntry, ...entries]).close();
    return readDiscarded(path, () => false).other;
  };
  expect(otherOf()).toBeUndefined();
  expect(otherOf(doneEntry(0, 9, { alreadyThere: 10 }))).toBeUndefined();
  expect(otherOf({ kind: "sending", from: 0, to: 9 })).toEqual({ created: 0, healing: [] });
  const healing = { kind: "healing", item: 0, id: "u1", before: 2 } as const;
  expect(otherOf(healing)).toEqual({ created: 0, healing: ["u1"] });
  expect(otherOf(healing, { kind: "healed", item: 0, id: "u1", outcome: "kept" })).toBeUndefined();
});
