import { join } from "node:path";
import { expect, test } from "vitest";
import type { DoneEntry, JobEntry } from "../../../../src/core/transfer/journal-entries.ts";
import { createJournal } from "../../../../src/io/journal/journal.ts";
import { readDiscarded } from "../../../../src/jobs/import/discarded.ts";
import { tempDir } from "../../../helpers/temp-dir.ts";

const job: JobEntry = {
  kind: "job",
  schemaVersion: 5,
  id: "j1",
  input: "ab",
  target: "https://t",
  container: "dataOrgs",
  routing: "",
};
const done = (from: number, to: number, fields: Partial<DoneEntry>): DoneEntry => ({
  kind: "done",
  from,
  to,
  way: "import",
  users: to - from + 1,
  created: 0,
  made: [],
  alreadyThere: 0,
  failed: 0,
  unknown: [],
  open: [],
  untold: 0,
  carried: [],
  others: {},
  failures: [],
  ...fields,
});

test("of a discarded run, whom it made is kept, and whose outcome it did not learn is looked at again", () => {
  const path = join(tempDir(), "journal.ndjson");
  const entries = [
    job,
    done(0, 9, { created: 10, made: [[0, 9]] }),
    // The answer did not mention somebody.
    done(10, 19, { created: 4, made: [[10, 13]], unknown: ["u15"] }),
    { kind: "sending" as const, from: 20, to: 29 },
  ];
  createJournal(path, { check() {} }, entries).close();
  expect(readDiscarded(path, () => true)).toEqual({
    kept: { job, earlier: { kind: "earlier", made: [[0, 13]], lost: [[14, 29]] } },
    forgotten: 0,
    isWhole: true,
  });
  expect(readDiscarded(path, () => false)).toEqual({ kept: undefined, forgotten: 14, isWhole: true });
});
