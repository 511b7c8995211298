import type { AdminApi } from "../../admin/client.ts";
import { listEvents } from "../../admin/events.ts";
import type { Context } from "../../context.ts";
import type { BodyScan } from "../../core/document/scan-types.ts";
import { IdTable } from "../../core/tables/id-table.ts";
import type { Document } from "../../io/input/document.ts";
import { type ExitCode, exitCodes } from "../../problem.ts";
import { count } from "../../ui/format.ts";
import type { Report } from "../../ui/report.ts";
import type { Ui } from "../../ui/ui.ts";
import { createRetry } from "../shared/create-retry.ts";
import { scanInput } from "../shared/scan-input.ts";
import { type Missing, tellDifferences } from "./differences.ts";

/** What a comparison works on. */
export interface Comparison {
  readonly api: AdminApi;
  readonly input: Document;
  readonly context: Context;
  readonly ui: Ui;
  readonly report: Report;
}

const LISTED = 1_000;
const EXPECTED = 0;
const FOUND = 1;
const UNEXPECTED = 2;

/**
 * Compares the human users of a body with the target's events: each must have been added to its organization, and not been removed
 * since (service behaviour 3). Ids are kept as fingerprints; the body is read a second time to name what is missing.
 */
export async function verifyByEvents(run: Comparison, scan: Pick<BodyScan, "orgs">): Promise<ExitCode> {
  const { ui, context, input, report } = run;
  const ids = new IdTable();
  const keyOf = (userId: string, org: number): string => `${scan.orgs[org]?.orgId} ${userId}`;
  let expected = 0;
  const onFault = (): void => {};
  let notCheckable = 0;
  const onExpected = (id: string, org: number): void => {
    if (id === "") notCheckable += 1;
    else ids.set(keyOf(id, org), EXPECTED);
  };
  await scanInput(input, { onFault, onUser: onExpected }, ui, context.signal);
  expected = ids.size;
  const unexpected = await readEvents(run, ids, scan);
  const missing: Missing[] = [];
  let missed = 0;
  const onUser = (id: string, org: number, line: number): void => {
    const key = keyOf(id, org);
    if (id === "" || ids.get(key) === FOUND) return;
    if (ids.get(key) !== EXPECTED) return;
    ids.set(key, UNEXPECTED); // told once
    missed += 1;
    if (missing.length < LISTED) missing.push({ type: "human_user", id, orgId: scan.orgs[org]?.orgId ?? "", line });
  };
  await scanInput(input, { onFault, onUser }, ui, context.signal);
  const differences = { expected, found: expected - missed, missing, missed, unexpected, notCheckable };
  tellDifferences(differences, { ui, report, file: input.path });
  return missed === 0 ? exitCodes.done : exitCodes.partial;
}

/** Marks what the target has; returns ids it has beside the expected ones, the first thousand. */
async function readEvents(
  { api, context, ui }: Comparison,
  ids: IdTable,
  { orgs }: Pick<BodyScan, "orgs">,
): Promise<string[]> {
  const retry = createRetry(ui, context);
  const progress = ui.progress("reading events");
  const unexpected = new Set<string>();
  let read = 0;
  try {
    for (const orgId of new Set(orgs.map((org) => org.orgId))) {
      for await (const event of listEvents(api, { eventTypes: EVENT_TYPES, orgId }, retry, context.signal)) {
        read += 1;
        progress.update(() => `${count(read)} events`);
        const key = `${orgId} ${event.aggregate.id}`;
        const removed = event.type.type === "user.removed";
        if (ids.get(key) !== undefined) ids.set(key, removed ? EXPECTED : FOUND);
        else if (removed) unexpected.delete(event.aggregate.id);
        else if (unexpected.size < LISTED) unexpected.add(event.aggregate.id);
      }
    }
    return [...unexpected];
  } finally {
    progress.stop();
  }
}

/** A user that has registered itself has an event of another type (service behaviour 3). */
const EVENT_TYPES = ["user.human.added", "user.human.selfregistered", "user.removed"];
