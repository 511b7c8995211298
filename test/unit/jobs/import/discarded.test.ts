import { join } from "node:path";
import { expect, test } from "vitest";
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
    forgotten: 0,
    isWhole: true,
  });
  expect(readDiscarded(path, () => false)).toEqual({ kept: undefined, forgotten: 14, isWhole: true });
});
