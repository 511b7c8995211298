import { type AnyReport, userCounts } from "../report.ts";
import { foreseenFailures } from "../summary/foreseen.ts";

/** The meaning of a number: good, unchanged, to be fixed, unknown, neutral. */
export type Tone = "good" | "calm" | "bad" | "open" | "plain";

export interface Labelled {
  readonly label: string;
  readonly value: number;
}

export interface FlowEnd extends Labelled {
  readonly tone: Tone;
}

/** How the input divides: `start.value` = `middle.value` + `beside`, `middle.value` = `ends`. */
export interface Flow {
  /** What is counted: "users", "objects". */
  readonly unit: string;
  readonly start: Labelled;
  readonly middle: Labelled;
  /** The parts of the middle. */
  readonly ends: readonly FlowEnd[];
  /** The parts of the rest. */
  readonly beside: readonly FlowEnd[];
}

/** The flow of a run; undefined without numbers that add up. */
export function flowOf(report: AnyReport): Flow | undefined {
  const users = userCounts(report);
  const flow =
    users === undefined
      ? comparisonFlow(report)
      : report.dryRun === true && "created" in users
        ? foreseenFlow(report, users)
        : flowOfUsers(users, report.dryRun === true);
  return flow === undefined || flow.start.value === 0 ? undefined : flow;
}

type Counts = NonNullable<ReturnType<typeof userCounts>>;

function flowOfUsers(users: Counts, isDryRun: boolean): Flow {
  if ("listed" in users) return undoFlow(users, isDryRun);
  if ("invitedBefore" in users) return inviteFlow(users, isDryRun);
  return "sent" in users ? importFlow(users) : migrateFlow(users);
}

function inviteFlow(users: Counts, isDryRun: boolean): Flow {
  const { read = 0, sent = 0, failed = 0, unknown = 0, toSend = 0 } = users;
  return {
    unit: "users",
    start: { label: "read", value: read },
    middle: { label: "to invite", value: sent + failed + unknown + toSend },
    ends: shown([
      { label: "sent", value: sent, tone: "good" },
      { label: "failed", value: failed, tone: "bad" },
      { label: "unknown", value: unknown, tone: "open" },
      { label: isDryRun ? "would get an e-mail" : "left to a later run", value: toSend, tone: "calm" },
    ]),
    beside: shown(NOT_INVITED.map(([name, label]) => ({ label, value: users[name] ?? 0, tone: "plain" }))),
  };
}

/** Why users get no e-mail, in few words, which fit beside a drawing. */
const NOT_INVITED = [
  ["withPassword", "with a password"],
  ["signsInOtherwise", "sign in otherwise"],
  ["passwordSet", "password on target"],
  ["invitedBefore", "invited before"],
  ["inactive", "inactive"],
  ["gone", "not on the target"],
  ["otherPerson", "maybe others"],
] as const;

function undoFlow(users: Counts, isDryRun: boolean): Flow {
  const { listed = 0, removed = 0, alreadyGone = 0, kept = 0, failed = 0, unknown = 0, toRemove = 0 } = users;
  return {
    unit: "users",
    start: { label: "listed", value: listed },
    middle: { label: "to delete", value: removed + failed + unknown + toRemove },
    ends: shown([
      { label: "deleted", value: removed, tone: "good" },
      { label: "failed", value: failed, tone: "bad" },
      { label: "unknown", value: unknown, tone: "open" },
      isDryRun
        ? { label: "would be deleted", value: toRemove, tone: "calm" }
        : { label: "not reached", value: toRemove, tone: "open" },
    ]),
    beside: shown([
      { label: "already gone", value: alreadyGone, tone: "calm" },
      { label: "kept", value: kept, tone: "plain" },
    ]),
  };
}

function migrateFlow(users: Counts): Flow {
  const { read = 0, written = 0, wouldHaveWritten, rejected = 0, leftOut = 0, withHash = 0, withoutHash = 0 } = users;
  return {
    unit: "rows of users",
    start: { label: "read", value: read },
    middle:
      wouldHaveWritten === undefined
        ? { label: "written", value: written }
        : { label: "would be written", value: wouldHaveWritten },
    ends: shown([
      { label: "with password", value: withHash, tone: "good" },
      { label: "without password", value: withoutHash, tone: "calm" },
    ]),
    beside: shown([
      { label: "rejected", value: rejected, tone: "bad" },
      { label: "left out", value: leftOut, tone: "plain" },
    ]),
  };
}

function importFlow(users: Counts): Flow {
  const {
    read = 0,
    sent = 0,
    created = 0,
    alreadyThere = 0,
    failed = 0,
    unknown = 0,
    notSent = 0,
    skipped = 0,
    updated = 0,
    unchanged = 0,
    conflict = 0,
  } = users;
  return {
    unit: "users",
    start: { label: "read", value: read },
    middle: { label: "sent", value: sent },
    ends: shown([
      { label: "created", value: created, tone: "good" },
      { label: "updated", value: updated, tone: "good" },
      { label: "already there", value: alreadyThere, tone: "calm" },
      { label: "failed", value: failed, tone: "bad" },
      { label: "unknown", value: unknown, tone: "open" },
    ]),
    beside: shown([
      { label: "unchanged", value: unchanged, tone: "calm" },
      { label: "conflict", value: conflict, tone: "bad" },
      { label: "not sent", value: notSent, tone: "open" },
      { label: "skipped", value: skipped, tone: "bad" },
    ]),
  };
}

/** What an import would do; only the number of users that it would send where that is all that is known. */
function foreseenFlow({ update, foreseen }: AnyReport, { read = 0, skipped = 0 }: Counts): Flow {
  const { new: added = 0, alreadyThere = 0 } = foreseen?.users ?? {};
  const failing = foreseenFailures(foreseen?.users);
  const { create = [], update: changed = [], conflict = [], unchanged = 0 } = update ?? {};
  const created = update === undefined ? added : create.length - failing;
  const there = update === undefined ? alreadyThere : 0;
  const sent = created + changed.length + there + failing;
  const isAll = created >= 0 && sent + unchanged + conflict.length + skipped === read;
  const rest: FlowEnd = { label: "skipped", value: skipped, tone: "bad" };
  const middle = { label: "would be sent", value: isAll ? sent : read - skipped };
  const start = { label: "read", value: read };
  if (!isAll) return { unit: "users", start, middle, ends: [], beside: shown([rest]) };
  return {
    unit: "users",
    start,
    middle,
    ends: shown([
      { label: "would be created", value: created, tone: "good" },
      { label: "would be updated", value: changed.length, tone: "good" },
      { label: "already there", value: there, tone: "calm" },
      { label: "would fail", value: failing, tone: "bad" },
    ]),
    beside: shown([
      { label: "unchanged", value: unchanged, tone: "calm" },
      { label: "conflict", value: conflict.length, tone: "bad" },
      rest,
    ]),
  };
}

function comparisonFlow({ expected, found, identical, differentCount = 0, by }: AnyReport): Flow | undefined {
  if (expected === undefined || found === undefined || identical === undefined) return undefined;
  return {
    unit: by === "export" ? "objects" : "users",
    start: { label: "expected", value: expected },
    middle: { label: "found", value: found },
    ends: shown([
      { label: "identical", value: identical, tone: "good" },
      // With values that the file lacks, or that were changed since.
      { label: "differ, no fault", value: found - identical - differentCount, tone: "calm" },
      { label: "different", value: differentCount, tone: "bad" },
    ]),
    beside: shown([{ label: "missing", value: expected - found, tone: "bad" }]),
  };
}

/** Zeros are not drawn. */
function shown(ends: readonly FlowEnd[]): readonly FlowEnd[] {
  return ends.filter(({ value }) => value > 0);
}
