import { RangeSet } from "../../core/tables/range-set.ts";
import { fold, JobState } from "../../core/transfer/job-state.ts";
import type { EarlierEntry, JobEntry } from "../../core/transfer/journal-entries.ts";
import { readJournal } from "../../io/journal/journal.ts";
import { ProblemError } from "../../problem.ts";

/** A run that --restart discards. */
export interface Discarded {
  /** What the new run takes over for undo; undefined for another job, whose indexes mean nothing here. */
  readonly kept: { readonly job: JobEntry; readonly earlier: EarlierEntry } | undefined;
  /** What the new run cannot take over, so that the journal must stay; undefined for nothing. */
  readonly other: OtherJob | undefined;
  /** False if part of its journal cannot be read. */
  readonly isWhole: boolean;
}

/** What an unfinished run of another job left. */
export interface OtherJob {
  /** How many users it created; a call without an answer may have created more. */
  readonly created: number;
  /** The ids of users that it was deleting and recreating. */
  readonly healing: readonly string[];
}

/** Reads the intact part of the journal. Raises journal.not-one, journal.link, output.*. */
export function readDiscarded(path: string, isSameJob: (job: JobEntry) => boolean): Discarded {
  const state = new JobState();
  const unclear = new RangeSet();
  let unreadable: string | undefined;
  try {
    readJournal(path, (entry) => {
      fold(state, entry);
      // The answer did not mention every user: the new run finds out who created the existing ones.
      if (entry.kind === "done" && entry.unknown.length > 0) unclear.add(entry.from, entry.to);
    });
  } catch (error) {
    if (!(error instanceof ProblemError) || !UNREADABLE.includes(error.problem.code)) throw error;
    unreadable = error.problem.code;
  }
  const { job, made, lost, done, users } = state;
  const open = lost.without(done);
  const isWhole = unreadable === undefined;
  if (job === undefined || !isSameJob(job)) {
    const healing = [...state.healing.values()].map(({ id }) => id);
    // Without its first record, no command continues a journal.
    const isLost = job === undefined && unreadable === "journal.broken";
    const isNothing = isLost || (isWhole && users.created === 0 && open.length === 0 && healing.length === 0);
    return { kept: undefined, other: isNothing ? undefined : { created: users.created, healing }, isWhole };
  }
  for (const [from, to] of open) unclear.add(from, to);
  const earlier: EarlierEntry = { kind: "earlier", made: made.ranges(), lost: unclear.without(made) };
  return { kept: { job, earlier }, other: undefined, isWhole };
}

const UNREADABLE: readonly string[] = ["journal.broken", "journal.other-version"];
