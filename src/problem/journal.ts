import { type ProblemTable, say } from "./description.ts";
import type { OfFile, OfHost } from "./facts.ts";
import { place } from "./format.ts";

interface OfJournal {
  readonly journal: string;
}

/** The flags whose settings differ, and the command that continues the run; undefined: the journal lacks it. */
interface OfOtherSettings extends OfJournal {
  readonly differ: readonly string[];
  readonly command: string | undefined;
}

/** `isRunning` false: the owner may still run, on another machine or in another container. */
interface Locked extends OfJournal {
  readonly lock: string;
  readonly owner: { readonly pid: number; readonly host: string; readonly since: string } | undefined;
  readonly isRunning: boolean;
}

/** What is lost with the journal of an earlier run. */
const FORGETTING = " (the earlier run's journal is then kept under another name)";

/** A journal or a state file that the run cannot use: exit 3. */
export const journalProblems = {
  "journal.other-input": ({ journal, file }: OfJournal & OfFile) =>
    say(
      `${journal}: belongs to another input than ${place({ file })}, or the file has changed.`,
      `Name the right file, or start again with --restart${FORGETTING}.`,
    ),
  "journal.other-target": ({ journal, host }: OfJournal & OfHost) =>
    say(
      `${journal}: belongs to another target than ${host}.`,
      `Name the right target, or start again with --restart${FORGETTING}.`,
    ),
  "journal.other-settings": ({ journal, differ, command }: OfOtherSettings) =>
    say(
      `${journal}: belongs to a run with other settings${differ.length === 0 ? "" : ` (${differ.join(", ")})`}.`,
      `Use the flags of that run${command === undefined ? "" : ` (${command})`}, or start again with --restart${FORGETTING}.`,
    ),
  "journal.left-over": ({ journal }: OfJournal) =>
    say(
      `${journal}: an earlier run did not finish.`,
      `Continue with --resume and the other flags of that run (orgferry status ${journal} prints the command), or start again with --restart.`,
    ),
  "journal.not-one": ({ journal }: OfJournal) =>
    say(`${journal}: not a journal of orgferry; the file was not changed.`, "Choose another path with --journal."),
  "journal.broken": ({ journal, line }: OfJournal & { readonly line: number }) =>
    say(
      `${journal}:${line}: this line is damaged, or a line before it is missing.`,
      `Start again with --restart: existing users are counted as already there (undo will ${line === 1 ? "not know the users of that run" : "know only the users created before this line"}).`,
    ),
  /** Written by another version of orgferry. */
  "journal.other-version": ({ journal }: OfJournal) =>
    say(
      `${journal}: was written by another version of orgferry.`,
      `Continue with that version, or start again with --restart: existing users are counted as already there${FORGETTING}.`,
    ),
  "journal.link": ({ journal }: OfJournal) =>
    say(
      `${journal}: is a symbolic link; orgferry does not write a journal through a link.`,
      "Name the file itself with --journal.",
    ),
  "journal.locked": ({ journal, lock, owner, isRunning }: Locked) =>
    say(
      `${journal}: in use by another run${owner === undefined ? "" : ` (process ${owner.pid} on ${owner.host}, since ${owner.since})`}.`,
      isRunning
        ? "Wait until that run has ended, or stop it."
        : `If that run has ended, try again in two minutes, or remove ${lock}.`,
    ),
  "state.not-one": ({ file }: OfFile) =>
    say(
      `${file}: not a state file of orgferry; the file was not changed.`,
      "If it is a damaged state file, delete it: it is only a cache, and the next run compares all users. Otherwise name another file with --state.",
    ),
  /** `source`, `target`: the hosts of this run. */
  "state.other-direction": ({ file, source, target }: OfFile & { readonly source: string; readonly target: string }) =>
    say(
      `${file}: belongs to the copy from ${target} to ${source}, and this run would copy from ${source} to ${target}; nothing was sent.`,
      "If source and target were exchanged by mistake, exchange them and their tokens. To copy in this direction, name another file with --state.",
    ),
} satisfies ProblemTable;
