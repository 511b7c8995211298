import { RangeSet } from "../../core/tables/range-set.ts";
import { createJobState, fold } from "../../core/transfer/job-state.ts";
import type { EarlierEntry, JobEntry } from "../../core/transfer/journal-entries.ts";
import { readJournal } from "../../io/journal/journal.ts";
import { ProblemError } from "../../problem.ts";

/** A run that --restart discards: what the new run takes over for undo, and how many created users it cannot take over. */
export interface Discarded {
  /** What is taken over; undefined for another job, whose indexes mean nothing here. */
  readonly kept: { readonly job: JobEntry; readonly earlier: EarlierEntry } | undefined;
  /** Created users that undo will not know. */
  readonly forgotten: number;
  /** False if part of its journal cannot be read. */
  readonly isWhole: boolean;
}

/** Reads the intact part of the journal. Raises journal.not-one, journal.link, output.*. */
export function readDiscarded(path: string, isSameJob: (job: JobEntry) => boolean): Discarded {
  const state = createJobState();
  const unclear = new RangeSet();
  let isWhole = true;
  try {
    readJournal(path, (entry) => {
      fold(state, entry);
      // The answer did not mention every user: the new run finds out who created the existing ones.
      if (entry.kind === "done" && entry.unknown.length > 0) unclear.add(entry.from, entry.to);
    });
  } catch (error) {
    if (!(error instanceof ProblemError) || !UNREADABLE.includes(error.problem.code)) throw error;
    isWhole = false;
  }
  const { job, made, lost, done, users } = state;
  if (job === undefined || !isSameJob(job)) return { kept: undefined, forgotten: users.created, isWhole };
  for (const [from, to] of lost.without(done)) unclear.add(from, to);
  const earlier: EarlierEntry = { kind: "earlier", made: made.ranges(), lost: unclear.without(made) };
  return { kept: { job, earlier }, forgotten: 0, isWhole };
}

const UNREADABLE: readonly string[] = ["journal.broken", "journal.other-version"];
