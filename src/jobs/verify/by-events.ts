import type { AdminApi } from "../../admin/client.ts";
import type { Context } from "../../context.ts";
import { viewOfEntry } from "../../core/compare/user-view.ts";
import { createObjectWalk } from "../../core/document/object-walk.ts";
import { elementId } from "../../core/document/org-sections.ts";
import type { BodyScan } from "../../core/document/scan-types.ts";
import { changeOf, comparedEventTypes } from "../../core/events/user-change.ts";
import { UserComparison } from "../../core/events/user-comparison.ts";
import { ORG_REMOVED } from "../../core/events/user-life.ts";
import type { Document } from "../../io/input/document.ts";
import { type ExitCode, exitCodes } from "../../problem.ts";
import type { Report } from "../../ui/report.ts";
import type { Ui } from "../../ui/ui.ts";
import { askingOf } from "../shared/asking.ts";
import { readLog } from "../shared/read-log.ts";
import { type Differences, type Different, LISTED, type Missing, tellDifferences } from "./differences.ts";

/** The inputs of a comparison. */
export interface Comparison {
  readonly api: AdminApi;
  readonly input: Document;
  readonly context: Context;
  readonly ui: Ui;
  readonly report: Report;
}

/** One human user of the input. */
interface InputUser {
  readonly orgId: string;
  readonly userId: string;
  readonly entry: unknown;
  readonly line: number;
}

/**
 * Compares the human users of a body with the target's events: each must exist, with the address, the names and the hash of the body
 * (service behaviour 0.19a). Partial when one is missing or different. `found`: how many exist.
 */
export async function verifyByEvents(
  run: Comparison,
  scan: Pick<BodyScan, "orgs" | "counts">,
): Promise<{ readonly exitCode: ExitCode; readonly found: number }> {
  const differences = await compareByEvents(run, scan);
  tellDifferences(differences, { ui: run.ui, report: run.report, input: run.input });
  const isRight = differences.missed + differences.differentCount === 0;
  return { exitCode: isRight ? exitCodes.done : exitCodes.partial, found: differences.found };
}

/**
 * The comparison itself. Texts are kept as digests; the body is read a second time to name what is missing or different. With `addedUntil`
 * (RFC 3339, by the target's clock) users who were created later are left out. Raises what reading events raises.
 */
export async function compareByEvents(
  run: Omit<Comparison, "report">,
  scan: Pick<BodyScan, "orgs" | "counts">,
  { addedUntil }: { readonly addedUntil?: string } = {},
): Promise<Differences> {
  const comparison = new UserComparison(scan.counts.users);
  let notCheckable = 0;
  await eachUser(run, scan, ({ orgId, userId, entry }) => {
    if (userId === "") notCheckable += 1;
    else comparison.expect(orgId, userId, viewOfEntry(entry));
  });
  const untilMs = addedUntil === undefined ? Number.POSITIVE_INFINITY : Date.parse(addedUntil);
  const unexpected = await applyEvents(run, scan, comparison, untilMs);
  const found = await collect(run, scan, comparison);
  const { size: expected, mailed } = comparison;
  return { expected, found: expected - found.missed, ...found, unexpected, mailed, notCheckable };
}

/** Applies the log to the expected users; returns the first thousand ids that are not expected. */
async function applyEvents(
  run: Omit<Comparison, "report">,
  { orgs }: Pick<BodyScan, "orgs">,
  comparison: UserComparison,
  untilMs: number,
): Promise<string[]> {
  const unexpected = new Set<string>();
  const { redactor } = run.api;
  const filter = { eventTypes: [...comparedEventTypes, ORG_REMOVED], orgIds: orgs.map(({ orgId }) => orgId) };
  await readLog("reading events", filter, askingOf(run), ({ aggregate, type: { type }, payload, creationDate }) => {
    const { id, resourceOwner: orgId } = aggregate;
    if (type === ORG_REMOVED) comparison.removeOrg(id);
    const change = changeOf(type, payload);
    if (change === undefined) return;
    if (change.kind === "added" && Date.parse(creationDate) > untilMs) comparison.leaveOut(orgId, id);
    if (comparison.isExpected(orgId, id)) comparison.apply(orgId, id, change);
    else if (change.kind === "removed") unexpected.delete(redactor.clean(id));
    else if (change.kind === "added" && unexpected.size < LISTED) unexpected.add(redactor.clean(id));
  });
  return [...unexpected];
}

type Collected = Omit<Differences, "expected" | "found" | "unexpected">;

/** Reads the body once more, and lists missing and different users. */
async function collect(
  run: Omit<Comparison, "report">,
  scan: Pick<BodyScan, "orgs">,
  comparison: UserComparison,
): Promise<Collected> {
  const missing: Missing[] = [];
  const different: Different[] = [];
  const changedSince: Different[] = [];
  const counts = { missed: 0, differentCount: 0, changedSinceCount: 0 };
  await eachUser(run, scan, ({ orgId, userId: id, line }) => {
    const verdict = comparison.takeVerdict(orgId, id);
    if (verdict === undefined) return;
    const place = { type: "human_user", id, orgId, line };
    if (!verdict.isThere) {
      counts.missed += 1;
      if (missing.length < LISTED) missing.push(place);
    }
    if (verdict.different.length > 0) {
      counts.differentCount += 1;
      const hash = !verdict.different.includes("hash")
        ? {}
        : ({ hash: verdict.lacksHash ? "missing" : "different" } as const);
      if (different.length < LISTED) different.push({ ...place, fields: verdict.different, ...hash });
    }
    if (verdict.changedSince.length > 0) {
      counts.changedSinceCount += 1;
      if (changedSince.length < LISTED) changedSince.push({ ...place, fields: verdict.changedSince });
    }
  });
  return { missing, different, changedSince, ...counts };
}

/** Every human user of a body. */
export async function eachUser(
  { input, context, ui }: Omit<Comparison, "report">,
  { orgs }: Pick<BodyScan, "orgs">,
  onUser: (user: InputUser) => void,
): Promise<void> {
  const walk = createObjectWalk(
    (section) => section === "humanUsers",
    ({ section, org, value, line }) =>
      onUser({ orgId: orgs[org]?.orgId ?? "", userId: elementId(section, value) ?? "", entry: value, line }),
  );
  let read = 0;
  const progress = ui.progress("reading", { unit: "bytes", amount: () => ({ done: read, total: input.bytes }) });
  try {
    for await (const chunk of input.read({ start: 0, end: input.bytes })) {
      context.signal.throwIfAborted();
      walk.push(chunk);
      read += chunk.length;
    }
    walk.end();
  } finally {
    progress.stop();
  }
}
