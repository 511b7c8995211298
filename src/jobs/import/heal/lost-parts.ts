import { listEvents } from "../../../admin/events.ts";
import { listsGrant } from "../../../admin/org-lists.ts";
import { withRetry } from "../../../admin/with-retry.ts";
import type { Item } from "../../../core/document/items.ts";
import { comparedId, ownedLists } from "../../../core/document/org-sections.ts";
import { userEntry } from "../../../core/document/user-metadata.ts";
import {
  type BelongingList,
  type BelongingLog,
  belongingEventTypes,
  belongingLists,
} from "../../../core/events/belonging-log.ts";
import { METADATA_REMOVED, METADATA_SET, metadataEventTypes } from "../../../core/events/instance-log.ts";
import { lifeEvents } from "../../../core/events/user-life.ts";
import { type Fields, fieldsOf, textMember } from "../../../core/json/members.ts";
import { isLater } from "../../../core/rules/moment.ts";
import { elementTypes } from "../../../core/transfer/answer/element-types.ts";
import { describe } from "../../../problem/describe.ts";
import { ProblemError } from "../../../problem.ts";
import { lostPartsLine, setAgainLine } from "../../../ui/summary/sign-ins.ts";
import { ifOffered, mayBeAnsweredLater } from "../../shared/not-offered.ts";
import { type ComparedObjects, compareObjects } from "../../verify/by-export.ts";
import type { ImportRun } from "../import-run.ts";
import { readSection } from "../plan/plan.ts";
import type { StaleEntry } from "../update/plan-updates.ts";
import { eventsOfEntry, reviveMetadata } from "../update/revive-metadata.ts";
import type { SenderContext } from "../ways/way.ts";
import { kept } from "./belongings.ts";
import { BelongingWatch, giveAgain, type Lacking } from "./give-again.ts";
import type { Job } from "./proof.ts";
import { changesFor } from "./stale-metadata.ts";

// What the service's lists have lost to concurrent writes (service behaviour 0.41): the events exist, and an export lacks the entries after
// the lists have read the whole log.

const METADATA = "userMetadata";
const SECTIONS = [METADATA, ...belongingLists] as const;
/** The events of all that can be lost; those that say whether a user exists are read by other lists too. */
const EVENTS = [...new Set([...metadataEventTypes, ...belongingEventTypes])].filter(
  (type) => !(lifeEvents as readonly string[]).includes(type),
);

/**
 * True if another account has written metadata, grants, memberships or links anywhere on the target since the job began. Raises what reading
 * events raises.
 */
export async function haveOthersWritten({ self, mark }: Job, { calling, plan }: SenderContext): Promise<boolean> {
  if (sectionsOf(plan).length === 0) return false;
  const { api, retry, signal } = calling;
  for await (const { editor, creationDate } of listEvents(api, { eventTypes: EVENTS, after: mark }, retry, signal))
    if (editor?.userId !== self && isLater(creationDate, mark)) return true;
  return false;
}

/** How many entries were set or given again. */
export interface Restored {
  readonly metadata: number;
  readonly belongings: number;
}

const NOTHING: Restored = { metadata: 0, belongings: 0 };

/**
 * Restores what the service's lists have lost of users that this account created: sets their metadata again, and gives them their grants,
 * memberships and links again. What another account has changed or removed since stays. With `--no-heal` they are failures. An organization
 * that is too large for an export is not looked at. Raises the errors that remain after retries.
 */
export async function restoreLost(
  run: ImportRun,
  sending: SenderContext,
  ours: Job,
  mayComplete: () => Promise<(userId: string) => boolean>,
): Promise<Restored> {
  const { plan, ledger, calling } = sending;
  const sections = sectionsOf(plan);
  if (sections.length === 0) return NOTHING;
  const wants = (section: string): boolean => sections.some((name) => name === section);
  const compared = await compareObjects(run, plan.scan, plan.timeout.text, wants, {
    transport: "grpc-web",
  }).catch((error) => unknown(error, run));
  if (compared === undefined) return NOTHING;
  if (compared.isSlow) {
    run.ui.warn(lostPartsLine("the service's lists lag behind its event log."));
    return NOTHING;
  }
  const absent = await absentOf(sections, compared, sending, await mayComplete());
  const entries = await lostMetadata(absent, ours, calling);
  const owners = new Set(absent.map(({ fields, section }) => textMember(fields, ownedLists[section] ?? "")));
  const { log, read } = new BelongingWatch((userId) => owners.has(userId), calling);
  if (absent.some(({ section }) => section !== METADATA)) await read();
  const lacking = await notListed(lackingOf(absent, log, ours), calling);
  if (!run.settings.consent.heal) {
    for (const { userId, key } of entries) failAsLost(ledger, "user_metadata", `${userId}_${key}`);
    for (const { item } of lacking) {
      const { type, keyOf, errorId } = elementTypes[item.key] as (typeof elementTypes)[string]; // every list has one
      const orgId = plan.scan.orgs[item.org]?.orgId ?? "";
      failAsLost(ledger, type, errorId(keyOf(fieldsOf(JSON.parse(item.bytes.toString()))), orgId));
    }
    return NOTHING;
  }
  const changes = changesFor(run.api, plan.version);
  const metadata = await reviveMetadata(entries, { calling, ledger, changes }, (entry) => isOurs(entry, ours, calling));
  const isWanted = ({ belonging: { list, entry, orgId } }: Lacking): boolean =>
    ourGrantId(list, entry, orgId, log, ours) !== undefined;
  const belongings = await giveAgain(lacking, sending, changes, { read, isWanted });
  if (metadata + belongings > 0) run.ui.say(setAgainLine(metadata, belongings));
  return { metadata, belongings };
}

function sectionsOf({ scan }: SenderContext["plan"]): readonly (typeof SECTIONS)[number][] {
  return SECTIONS.filter((name) => scan.sections.some(({ key }) => key === name));
}

/** An entry of the input that the target's export lacks. */
interface Absent {
  readonly section: typeof METADATA | BelongingList;
  readonly item: Item;
  readonly orgId: string;
  readonly fields: Fields;
}

async function absentOf(
  sections: readonly Absent["section"][],
  compared: ComparedObjects,
  { plan, ledger, calling, screen }: SenderContext,
  mayComplete: (userId: string) => boolean,
): Promise<readonly Absent[]> {
  const found: Absent[] = [];
  for (const section of sections)
    for await (const items of readSection(plan, section, calling.signal))
      for (const item of items) {
        const fields = fieldsOf(JSON.parse(item.bytes.toString()));
        const orgId = plan.scan.orgs[item.org]?.orgId ?? "";
        const owner = textMember(fields, ownedLists[section] ?? "");
        if (!mayComplete(owner) || ledger.state.takenIds.has(owner)) continue;
        const { projectId = "" } = fields;
        const isExported = projectId === "" || compared.projectIds.has(String(projectId));
        if (!isExported || compared.isThere(orgId, section, comparedId(section, fields) ?? "")) continue;
        if ((await screen.whyRemoved(item)) !== undefined) continue;
        found.push({ section, item: kept(item), orgId, fields });
      }
  return found;
}

async function lostMetadata(
  absent: readonly Absent[],
  ours: Job,
  calling: SenderContext["calling"],
): Promise<readonly StaleEntry[]> {
  const entries: StaleEntry[] = [];
  for (const { section, orgId, fields } of absent) {
    if (section !== METADATA) continue;
    const entry = { orgId, ...userEntry(fields) };
    if (await withRetry(() => isOurs(entry, ours, calling), calling.retry, calling.signal)) entries.push(entry);
  }
  return entries;
}

/**
 * True if the last event about an entry is this account's: it set the value of the input, or this job removed the entry, to set it again, and
 * was interrupted. One call.
 */
async function isOurs(entry: StaleEntry, { self, mark }: Job, calling: SenderContext["calling"]): Promise<boolean> {
  const [last] = await eventsOfEntry(entry, calling);
  if (last?.editor?.userId !== self) return false;
  const { type } = last.type;
  if (type === METADATA_REMOVED) return isLater(last.creationDate, mark);
  return type === METADATA_SET && textMember(fieldsOf(last.payload), "value") === entry.value;
}

/** Grants, memberships and links that only this account has written, and that must be given again. */
function lackingOf(absent: readonly Absent[], log: BelongingLog, ours: Job): readonly Lacking[] {
  return absent.flatMap(({ item, section, orgId, fields: entry }) => {
    const grantId = section === METADATA ? undefined : ourGrantId(section, entry, orgId, log, ours);
    if (grantId === undefined) return [];
    return [{ item, belonging: { list: section as BelongingList, orgId, entry, grantId }, isInWay: true }];
  });
}

/** undefined for what another account has written last, or what was taken away before this job. */
function ourGrantId(
  list: BelongingList,
  entry: unknown,
  orgId: string,
  log: BelongingLog,
  { self, mark }: Job,
): string | undefined {
  const present = log.present(list, entry, orgId);
  if (present?.by !== self) return undefined;
  // This job took it away, and was interrupted.
  return present.isGone && !isLater(present.at, mark) ? undefined : present.grantId;
}

/**
 * Without the role grants that the target lists, or does not tell of: its export leaves some out (service behaviour 9.43). Nothing that is
 * there is taken away.
 */
async function notListed(
  lacking: readonly Lacking[],
  { api, retry, signal }: SenderContext["calling"],
): Promise<readonly Lacking[]> {
  const lost: Lacking[] = [];
  for (const one of lacking) {
    const { list, orgId, entry } = one.belonging;
    const fields = fieldsOf(entry);
    const grant = { orgId, userId: textMember(fields, "userId"), projectId: textMember(fields, "projectId") };
    const isLost = list !== "userGrants" || (await ifOffered(() => listsGrant(api, grant, retry, signal))) === false;
    if (isLost) lost.push(one);
  }
  return lost;
}

function failAsLost(ledger: SenderContext["ledger"], type: string, id: string): void {
  ledger.failCreated(type);
  ledger.fail({ type, id, message: "", cause: "not-made" });
}

/** A target that does not offer the export says nothing. Raises run.aborted, what may be answered later, and what is no problem. */
function unknown(error: unknown, { ui }: ImportRun): undefined {
  const isAborted = error instanceof ProblemError && error.problem.code === "run.aborted";
  if (!(error instanceof ProblemError) || isAborted || mayBeAnsweredLater(error)) throw error;
  ui.warn(lostPartsLine(describe(error.problem).message));
  return undefined;
}
