import { type ProblemTable, say, untouched } from "./description.ts";
import type { OfDeed, OfFile, OfHost } from "./facts.ts";
import { count, counted, place } from "./format.ts";
import { becauseOfPasswords, canPreventMails, type MailAdvice } from "./usage.ts";

/** `flag`: the flag that names another place. */
interface Unwritable extends OfFile {
  readonly flag?: string;
}

/** `fewer`: the command exists to send e-mails, and can send fewer. */
interface TwoFiles {
  readonly files: readonly [string, string];
}

/** Outputs that cannot be written, and runs that end early: exit 3; an interrupted run: 130 or 143. */
export const runProblems = {
  "output.unwritable": ({ file, reason, flag }: Unwritable & { readonly reason: string }) =>
    say(
      reason === "EISDIR"
        ? `${file}: is a directory.`
        : reason === "EEXIST"
          ? `${file}: is a file, and must be a folder.`
          : `${file}: cannot be written (${reason}).`,
      reason === "EISDIR"
        ? "Name a file in it."
        : flag === undefined
          ? "Check the path and its permissions."
          : `Choose a writable path with ${flag}.`,
    ),
  "output.full": ({ file, flag }: Unwritable) =>
    say(
      `${file}: no space left on the disk.`,
      flag === undefined
        ? "Free some space and run again."
        : `Free some space, or choose another path with ${flag}, and run again.`,
    ),
  /** `at`: a link, pipe or device on the path to `file` that another user of the machine may have put there. */
  "output.planted": ({ file, at }: OfFile & { readonly at: string }) =>
    say(
      `${file}: not written, because another user of this machine may have put ${at} on its path.`,
      "Remove that, or choose another path.",
    ),
  /** The existing file is of another kind than the output. `canForce`: the command has `--force`. */
  "output.other-file": ({
    file,
    flag,
    kind,
    canForce,
  }: OfFile & { readonly flag: string; readonly kind: OutputKind; readonly canForce: boolean }) =>
    say(
      `${file}: exists${kind === "table" ? "" : ` and is no ${outputKinds[kind]}`}, so it was not replaced.`,
      canForce
        ? `Choose another path with ${flag}, or replace the file with --force.`
        : `Choose another path with ${flag}.`,
    ),
  /** The import of the existing file is not finished: with another content it cannot be continued. */
  "output.half-imported": ({ file, flag, journal }: OfFile & { readonly flag: string; readonly journal: string }) =>
    say(
      `${file}: not replaced, because the import of this file is not finished.`,
      `Finish it with the command that orgferry status ${journal} prints, delete ${journal}, or choose another path with ${flag}.`,
    ),
  /** No user is left to write, and the existing file contains users. */
  "output.kept": ({ file }: OfFile) =>
    say(
      `no user to write, so the existing ${file} was not replaced.`,
      "Are these the right input files, and do --only, --where and --limit select users of them? Otherwise choose another output.",
    ),
  "run.strict": ({ rejected }: { readonly rejected: number }) =>
    say(
      `${counted(rejected, "row")} rejected; with --strict, no body is written.`,
      "Fix them, or run without --strict.",
    ),
  "run.not-confirmed": () => say("not confirmed; no user was deleted."),
  "run.too-many-mails": ({
    host,
    mails,
    limit,
    ...advice
  }: OfHost & MailAdvice & { readonly mails: number; readonly limit: number }) => {
    const or = canPreventMails(advice) ? ", or send no e-mail with --no-mail" : "";
    return say(
      `${host} would e-mail ${counted(mails, "user")}${becauseOfPasswords(advice)}, and --max-mails allows ${count(limit)}; nothing was sent.`,
      `Raise --max-mails${advice.fewer === undefined ? or : ", or send fewer e-mails with --limit"}.`,
    );
  },
  "run.declined": (advice: MailAdvice) => {
    if (canPreventMails(advice)) return say("not confirmed; nothing was sent.", "To send no e-mail, use --no-mail.");
    return say(
      "not confirmed; nothing was sent.",
      advice.fewer === undefined ? undefined : "To send fewer e-mails, use --limit.",
    );
  },
  "run.aborted": ({
    allSent,
    midway,
    ...of
  }: OfDeed & {
    readonly signal: "SIGINT" | "SIGTERM" | "SIGHUP";
    /** false: of a job that had not begun; absent: of any other run that has done nothing. */
    readonly midway?: boolean;
    readonly allSent?: boolean;
  }) => {
    if (allSent === true)
      return say(
        "interrupted; all users were sent, but the comparison did not finish.",
        "To compare, run orgferry verify with the file, or the same copy again.",
      );
    return say(
      midway === true
        ? "interrupted; the changes that the service has made so far stay."
        : `interrupted; ${untouched(of)}.`,
      midway === false ? "Run the same command again." : undefined,
    );
  },
  "shards.not-one": ({ file }: OfFile) =>
    say(
      `${place({ file })}: not the report of an import with --shard.`,
      "Use the reports that import writes with --shard and --report.",
    ),
  "shards.missing": ({ shards, files }: { readonly shards: readonly number[]; readonly files: readonly string[] }) =>
    say(
      `incomplete: ${[
        ...shards.map((shard) => `no report of shard ${shard}`),
        ...files.map((file) => `${place({ file })} was sent by no shard`),
      ].join(", ")}.`,
      "Run the missing shards, then merge all reports.",
    ),
  "shards.overlap": ({ files: [first, second] }: TwoFiles) =>
    say(
      `${place({ file: first })} and ${place({ file: second })} report the same shard or the same part.`,
      "Name each report once, and give each shard other parts.",
    ),
  "shards.differ": ({
    files: [first, second],
    what,
  }: TwoFiles & { readonly what: "files" | "target" | "number" | "dry-run" }) =>
    say(
      `${place({ file: first })} and ${place({ file: second })} belong to different jobs: ${shardDifferences[what]}.`,
      "Name the reports of one job, whose shards all started with the same files.",
    ),
} satisfies ProblemTable;

/** Files that orgferry writes and recognizes, in the words of messages. */
const outputKinds = {
  report: "report of orgferry",
  body: "import body",
  export: "export",
  users: "file of users",
} as const;

/** What an output is. A table is never recognized. */
export type OutputKind = keyof typeof outputKinds | "table";

const shardDifferences = {
  files: "the lists of files differ",
  target: "the targets differ",
  number: "the numbers of shards differ",
  "dry-run": "the first is of a dry run, which sent nothing",
} as const;

/** Tells that a temporary file may belong to a run that still continues. */
export function orphanLine(path: string): string {
  return `${path} is a temporary file of a run on another machine, in another container or before this machine was restarted. Remove it if that run has ended: it may contain password hashes.`;
}

/** Tells that corrections in a folder of rejected items stay, and where this run writes instead. */
export function movedRejectsLine(from: string, to: string): string {
  return `${from} has files that were changed or that another command or shard wrote, and keeps them: rejected items go to ${to}.`;
}
