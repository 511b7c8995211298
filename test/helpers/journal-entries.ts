import type { DoneEntry, JobEntry } from "../../src/core/transfer/journal-entries.ts";

/** The first entry of a journal. */
export const jobEntry: JobEntry = {
  kind: "job",
  schemaVersion: 5,
  id: "j1",
  input: "ab",
  target: "https://t",
  container: "dataOrgs",
  routing: "",
};

/** What a call came to: nothing but what is said. */
export function doneEntry(from: number, to: number, fields: Partial<DoneEntry>): DoneEntry {
  return {
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
  };
}
