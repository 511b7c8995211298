import { RangeSet } from "../../core/tables/range-set.ts";
import { createJobState, fold } from "../../core/transfer/job-state.ts";
import type { EarlierEntry, JobEntry } from "../../core/transfer/journal-entries.ts";
import { readJournal } from "../../io/journal/journal.ts";
import { ProblemError } from "../../problem.ts";

/** A run that --restart throws away: what the new one takes over of it, for undo, and how many created users it cannot take over. */
export interface Discarded {
  /** Of the same job: its name, its mark, and what it had done. undefined: its places mean nothing here. */
  readonly kept: { readonly job: JobEntry; readonly earlier: EarlierEntry } | undefined;
  /** Users that it had created and of whom nobody will know. */
  readonly forgotten: number;
  /** false: a part of its journal cannot be read. */
  readonly isWhole: boolean;
}

/** Reads as much of the journal as can be trusted. Raises journal.not-one, journal.link, output.*. */
export function readDiscarded(path: string, isSameJob: (job: JobEntry) => boolean): Discarded {
  const state = createJobState();
  const unclear = new RangeSet();
  let isWhole = true;
  try {
    readJournal(path, (entry) => {
      fold(state, entry);
      // Of these an answer did not say everything: the new run finds out whose those are that are there.
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
