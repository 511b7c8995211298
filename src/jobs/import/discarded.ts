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
  let isWhole = true;
  try {
    readJournal(path, (entry) => fold(state, entry));
  } catch (error) {
    if (!(error instanceof ProblemError) || !UNREADABLE.includes(error.problem.code)) throw error;
    isWhole = false;
  }
  const { job, made, lost, done, users } = state;
  if (job === undefined || !isSameJob(job)) return { kept: undefined, forgotten: users.created, isWhole };
  const earlier: EarlierEntry = { kind: "earlier", made: made.ranges(), lost: lost.without(done) };
  return { kept: { job, earlier }, forgotten: 0, isWhole };
}

const UNREADABLE: readonly string[] = ["journal.broken", "journal.other-version"];
