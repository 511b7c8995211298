import { withRetry } from "../../../admin/with-retry.ts";
import type { ServiceEvent } from "../../../contract/events.ts";
import { METADATA_REMOVED, METADATA_SET, metadataEventTypes } from "../../../core/events/instance-log.ts";
import { fieldsOf, member, textMember } from "../../../core/json/members.ts";
import { describe } from "../../../problem/describe.ts";
import { ProblemError } from "../../../problem.ts";
import { lostMetadataLine, setAgainLine } from "../../../ui/summary/sign-ins.ts";
import type { Asking } from "../../shared/asking.ts";
import { readSelf } from "../../shared/user-life.ts";
import { entryKey, findLostMetadata } from "../../verify/lost-metadata.ts";
import type { ImportRun } from "../import-run.ts";
import { readSection } from "../plan/plan.ts";
import type { StaleEntry } from "../update/plan-updates.ts";
import { reviveMetadata } from "../update/send-updates.ts";
import type { SenderContext } from "../ways/way.ts";
import { changesFor } from "./stale-metadata.ts";

/**
 * Sets metadata of this run's users again that the service's list has lost to concurrent writes (service behaviour 0.41): their events
 * exist, and an export lacks them after the list has read the whole log. What another account has set or removed since stays. With
 * `--no-heal` they are failures. An organization that is too large for an export is not looked at. Returns how many were set. Raises the
 * errors that remain after retries.
 */
export async function setLostMetadata(
  run: ImportRun,
  { calling, plan, ledger }: SenderContext,
  isOfRun: (userId: string) => boolean,
): Promise<number> {
  if (!plan.scan.sections.some(({ key }) => key === "userMetadata")) return 0;
  const lost = await findLostMetadata(run, plan).catch((error) => unknown(error, run));
  if (lost.size === 0) return 0;
  const self = await readSelf(calling);
  const entries: StaleEntry[] = [];
  for await (const items of readSection(plan, "userMetadata", calling.signal)) {
    for (const { bytes, org } of items) {
      const fields = fieldsOf(JSON.parse(bytes.toString()));
      const [userId, key] = [textMember(fields, "id"), textMember(fields, "key")];
      const orgId = plan.scan.orgs[org]?.orgId ?? "";
      const isTaken = ledger.state.takenIds.has(userId);
      if (!lost.has(entryKey(orgId, userId, key)) || !isOfRun(userId) || isTaken) continue;
      const entry = { orgId, userId, key, value: String(member(fields, "value") ?? "") };
      if (self !== undefined && (await isLastSetBy(self, entry, calling))) entries.push(entry);
    }
  }
  if (entries.length === 0) return 0;
  if (!run.settings.consent.heal) {
    ledger.failCreated("user_metadata", entries.length);
    for (const { userId, key } of entries)
      ledger.fail({ type: "user_metadata", id: `${userId}_${key}`, message: "", cause: "not-made" });
    return 0;
  }
  const refused = await reviveMetadata(entries, { calling, ledger, changes: changesFor(run.api, plan.version) });
  ledger.failCreated("user_metadata", refused);
  run.ui.say(setAgainLine(entries.length - refused));
  return entries.length - refused;
}

/** True if the last event about an entry is this account's, with the value of the input. Raises what reading events raises. */
async function isLastSetBy(self: string, entry: StaleEntry, { api, retry, signal }: Asking): Promise<boolean> {
  const request = { limit: 1_000, asc: false, aggregate_types: ["user"], aggregate_id: entry.userId };
  const search = () => api.searchEvents({ ...request, event_types: [...metadataEventTypes] }, signal);
  const { events } = await withRetry(search, retry, signal);
  const isAbout = ({ type: { type }, payload }: ServiceEvent): boolean =>
    (type !== METADATA_SET && type !== METADATA_REMOVED) || textMember(fieldsOf(payload), "key") === entry.key;
  const last = events.find(isAbout);
  const isOurs = last?.type.type === METADATA_SET && last.editor?.userId === self;
  return isOurs && textMember(fieldsOf(last.payload), "value") === entry.value;
}

/** Without an export nothing is known. Raises run.aborted, and what is no problem. */
function unknown(error: unknown, { ui }: ImportRun): ReadonlySet<string> {
  if (!(error instanceof ProblemError) || error.problem.code === "run.aborted") throw error;
  ui.warn(lostMetadataLine(describe(error.problem).message));
  return new Set();
}
