import { createElementWalk } from "../../core/document/element-walk.ts";
import type { BodyScan } from "../../core/document/scan-types.ts";
import { IdTable } from "../../core/tables/id-table.ts";
import type { Document } from "../../io/input/document.ts";
import { type ExitCode, exitCodes } from "../../problem.ts";
import type { ExportFlags } from "../export/request.ts";
import { toSpool } from "../export/sinks.ts";
import { exportWhole } from "../export/whole-export.ts";
import type { Comparison } from "./by-events.ts";
import { type Missing, tellDifferences } from "./differences.ts";

const LISTED = 1_000;
/** What the target has just taken is not in its export at once. */
const SETTLE_MS = 60_000;
const EXPECTED = 0;
const FOUND = 1;

/** Compares every object of an export that has an id with a fresh export of the same organizations from the target. */
export async function verifyByExport(run: Comparison, scan: BodyScan, timeout: string): Promise<ExitCode> {
  const { api, input, context, ui, report } = run;
  const ids = new IdTable();
  await walk(input, (section, id) => ids.set(`${section} ${id}`, EXPECTED));
  const expected = ids.size;
  const unexpected = await readTarget(run, scan, timeout, ids);
  const missing: Missing[] = [];
  let missed = 0;
  await walk(input, (section, id, line) => {
    const key = `${section} ${id}`;
    if (ids.get(key) !== EXPECTED) return;
    ids.set(key, FOUND); // told once
    missed += 1;
    if (missing.length < LISTED) missing.push({ type: section, id, line });
  });
  report.set({ target: api.address.host });
  const differences = { expected, found: expected - missed, missing, missed, unexpected };
  tellDifferences(differences, { ui, report, file: input.path });
  context.signal.throwIfAborted();
  return missed === 0 ? exitCodes.done : exitCodes.partial;
}

/** Marks what the target has; returns the first thousand objects it has beside the expected ones. */
async function readTarget(
  { api, context, ui }: Comparison,
  { orgs }: BodyScan,
  timeout: string,
  ids: IdTable,
): Promise<string[]> {
  const flags: ExportFlags = {
    orgId: orgs.map(({ orgId }) => orgId),
    excludeOrgId: [],
    withPasswords: false,
    withOtp: false,
    timeout,
    transport: "auto",
    settleMs: SETTLE_MS,
    mayBeAbsent: true,
  };
  const { sink } = await exportWhole({ api, ui, context }, flags, () => toSpool(context));
  const target = sink.finish(`export of ${api.address.host}`);
  const unexpected: string[] = [];
  try {
    await walk(target, (section, id) => {
      const key = `${section} ${id}`;
      if (ids.get(key) !== undefined) ids.set(key, FOUND);
      else if (unexpected.length < LISTED) unexpected.push(key);
    });
    return unexpected;
  } finally {
    await target.close();
  }
}

async function walk(input: Document, onElement: Parameters<typeof createElementWalk>[0]): Promise<void> {
  const walker = createElementWalk(onElement);
  for await (const chunk of input.read({ start: 0, end: input.bytes })) walker.push(chunk);
  walker.end();
}
