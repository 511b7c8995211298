import { type AnyReport, userCounts } from "../report.ts";

/** The meaning of a number: good, unchanged, to be fixed, unknown, neutral. */
export type Tone = "good" | "calm" | "bad" | "open" | "plain";

export interface FlowEnd {
  readonly label: string;
  readonly value: number;
  readonly tone: Tone;
}

/** How the input divides: `start.value` = `middle.value` + `beside`, `middle.value` = `ends`. */
export interface Flow {
  /** What is counted: "users", "objects". */
  readonly unit: string;
  readonly start: { readonly label: string; readonly value: number };
  readonly middle: { readonly label: string; readonly value: number };
  /** The parts of the middle. */
  readonly ends: readonly FlowEnd[];
  /** The parts of the rest. */
  readonly beside: readonly FlowEnd[];
}

/** The flow of a run; undefined without numbers that add up. */
export function flowOf(report: AnyReport): Flow | undefined {
  const users = userCounts(report);
  const flow = users === undefined ? comparisonFlow(report) : flowOfUsers(users);
  return flow === undefined || flow.start.value === 0 ? undefined : flow;
}

type Counts = NonNullable<ReturnType<typeof userCounts>>;

function flowOfUsers(users: Counts): Flow {
  if ("listed" in users) return undoFlow(users);
  return "sent" in users ? importFlow(users) : migrateFlow(users);
}

function undoFlow(users: Counts): Flow {
  const { listed = 0, removed = 0, alreadyGone = 0, kept = 0, failed = 0, unknown = 0, toRemove = 0 } = users;
  return {
    unit: "users",
    start: { label: "listed", value: listed },
    middle: { label: "to delete", value: removed + failed + unknown + toRemove },
    ends: shown([
      { label: "deleted", value: removed, tone: "good" },
      { label: "failed", value: failed, tone: "bad" },
      { label: "unknown", value: unknown, tone: "open" },
      { label: "not reached", value: toRemove, tone: "open" },
    ]),
    beside: shown([
      { label: "already gone", value: alreadyGone, tone: "calm" },
      { label: "kept", value: kept, tone: "plain" },
    ]),
  };
}

function migrateFlow(users: Counts): Flow {
  const { read = 0, written = 0, rejected = 0, leftOut = 0, withHash = 0, withoutHash = 0 } = users;
  return {
    unit: "rows of users",
    start: { label: "read", value: read },
    middle: { label: "written", value: written },
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

function comparisonFlow({ expected, found, differentCount = 0, by }: AnyReport): Flow | undefined {
  if (expected === undefined || found === undefined) return undefined;
  return {
    unit: by === "export" ? "objects" : "users",
    start: { label: "expected", value: expected },
    middle: { label: "found", value: found },
    ends: shown([
      { label: "as expected", value: found - differentCount, tone: "good" },
      { label: "different", value: differentCount, tone: "bad" },
    ]),
    beside: shown([{ label: "missing", value: expected - found, tone: "bad" }]),
  };
}

/** Zeros are not drawn. */
function shown(ends: readonly FlowEnd[]): readonly FlowEnd[] {
  return ends.filter(({ value }) => value > 0);
}
