import { createUserChanges, type UserChanges } from "../../../admin/user-changes.ts";
import { capabilitiesOf } from "../../../contract/versions.ts";
import { userEntry } from "../../../core/document/user-metadata.ts";
import {
  applyEvent,
  createInstanceLog,
  type InstanceLog,
  metadataEventTypes,
} from "../../../core/events/instance-log.ts";
import type { JobMarks } from "../../../core/events/user-life.ts";
import { fieldsOf } from "../../../core/json/members.ts";
import { staleLine } from "../../../ui/summary/sign-ins.ts";
import { freshReading } from "../../shared/fresh.ts";
import { ifOffered } from "../../shared/not-offered.ts";
import { readLog } from "../../shared/read-log.ts";
import { readSelf } from "../../shared/user-life.ts";
import type { ImportRun } from "../import-run.ts";
import { type Plan, readSection } from "../plan/plan.ts";
import type { StaleEntry } from "../update/plan-updates.ts";
import { isUntouchedSince, reviveMetadata } from "../update/revive-metadata.ts";
import type { SenderContext } from "../ways/way.ts";

/** The calls that change users of the target's version. */
export function changesFor(api: ImportRun["api"], version: string | undefined): UserChanges {
  const changes = createUserChanges(api);
  return capabilitiesOf(version).metadataApi === "users" ? changes : changes.withOlderMetadata();
}

/**
 * Sets metadata of the input that the service answered as created and did not write: the users were deleted before, `wasRemoved`, and had
 * the same values in their former lives (service behaviour 9.9). The event log says which. What the service refuses counts as failed.
 * Returns how many were set. Raises the errors that remain after retries.
 */
export async function setStaleMetadata(
  run: Pick<ImportRun, "api" | "ui">,
  { calling, plan, ledger, provenance }: Pick<SenderContext, "calling" | "plan" | "ledger" | "provenance">,
  wasRemoved: (userId: string) => boolean,
  known: JobMarks,
): Promise<number> {
  if (!plan.scan.sections.some(({ key }) => key === "userMetadata")) return 0;
  const self = (await readSelf(calling)) ?? "";
  const read = await ifOffered(() => readMetadataLog(run, plan, calling, self));
  if (read === undefined) return 0;
  const { log, readUntil } = read;
  const stale: StaleEntry[] = [];
  for await (const items of readSection(plan, "userMetadata", calling.signal)) {
    for (const { bytes, org } of items) {
      const { userId, key, value } = userEntry(fieldsOf(JSON.parse(bytes.toString())));
      if (!wasRemoved(userId)) continue;
      const orgId = plan.scan.orgs[org]?.orgId ?? "";
      const user = log.users.find(orgId, userId);
      if (user?.isThere !== true) continue;
      if (log.metadata.compare(user.number, key, value) === "stale") stale.push({ orgId, userId, key, value });
    }
  }
  if (stale.length > 0) run.ui.say(staleLine(stale.length));
  const changes = changesFor(run.api, plan.version);
  const isUntouched = isUntouchedSince(readUntil, known, calling);
  // The same account may put another person in the place of a user.
  const failReplaced = freshReading(() => provenance.replaced.failAll());
  const isWanted = async (entry: StaleEntry): Promise<boolean> => {
    await failReplaced();
    return wasRemoved(entry.userId) && isUntouched(entry);
  };
  return reviveMetadata(stale, { calling, ledger, changes }, isWanted);
}

async function readMetadataLog(
  { ui }: Pick<ImportRun, "ui">,
  { scan }: Pick<Plan, "scan">,
  calling: SenderContext["calling"],
  self: string,
): Promise<{ readonly log: InstanceLog; readonly readUntil: string }> {
  const log = createInstanceLog("metadata");
  const filter = { eventTypes: metadataEventTypes, orgIds: scan.orgs.map(({ orgId }) => orgId) };
  const reading = { ui, api: calling.api, retry: calling.retry, signal: calling.signal };
  let readUntil = "";
  await readLog("checking metadata", filter, reading, (event) => {
    if (event.creationDate > readUntil) readUntil = event.creationDate;
    applyEvent(log, event, { self, since: "" });
  });
  return { log, readUntil };
}
