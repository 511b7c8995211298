import { parseDurationMs } from "../../../contract/duration.ts";
import { capabilitiesOf } from "../../../contract/versions.ts";
import { type Item, type ReadExtent, readItems } from "../../../core/document/items.ts";
import { mapIds } from "../../../core/document/org-map.ts";
import { ownedLists } from "../../../core/document/org-sections.ts";
import { type Part, planParts } from "../../../core/document/parts.ts";
import type { BodyScan } from "../../../core/document/scan-types.ts";
import { ownerOf, userIdOf } from "../../../core/document/user-id.ts";
import type { BelongingList } from "../../../core/events/belonging-log.ts";
import { type AddressRules, STRICTEST } from "../../../core/rules/email.ts";
import type { Document } from "../../../io/input/document.ts";
import { ProblemError, type RowProblem, type RunProblem } from "../../../problem.ts";
import type { RefusedHashes } from "../../../ui/summary/hash-limits.ts";
import type { Ui } from "../../../ui/ui.ts";
import { scanInput } from "../../shared/scan-input.ts";
import type { ImportSettings } from "../settings.ts";
import { fingerprintOf, isForImportStates } from "./fingerprint.ts";

export const DEFAULT_TIMEOUT = "5m0s";

/** What a job sends and in which order: a value, made from one reading of the input. */
export interface Plan {
  readonly scan: BodyScan;
  readonly parts: readonly Part[];
  readonly read: ReadExtent;
  readonly timeout: CallTimeout;
  /** Of the service, as the target reports it; undefined: it does not, or it was not asked yet. */
  readonly version?: string | undefined;
  /** Hashes that the target does not accept; undefined: it was not asked, or cannot be. */
  readonly refused?: RefusedHashes | undefined;
  /** SHA-256 of the input, in hex. */
  readonly sha256: string;
  /** Names the settings that decide the plan: a journal is for one of them. */
  readonly fingerprint: string;
}

/** The part of a plan that items are read by. */
export type Items = Pick<Plan, "scan" | "parts" | "read">;

/** How long the service may work on one call, as the body says it and in numbers. */
export interface CallTimeout {
  readonly text: string;
  readonly ms: number;
}

/** Asked for the version that the target reports. */
export type AskVersion = () => Promise<string | undefined>;

/** An address decides that the version of the target is needed. */
class VersionNeeded extends Error {}

/** What a plan asks besides the input. */
interface PlanWorld {
  readonly askVersion: AskVersion;
  /** The fingerprint of the unfinished job that this run continues or replaces; undefined: there is none. */
  readonly earlier: string | undefined;
  readonly ui: Ui;
  readonly signal: AbortSignal;
}

/**
 * Reads the whole input and plans the sending. It asks for the version only if an address of the input is accepted by some versions and
 * not by others, or if a user is inactive or locked, and then reads the input once more where that version differs: a faulty input is
 * refused without a call. Raises input.*.
 */
export async function makePlan(
  input: Document,
  { plan: settings, calls, skipInvalid }: ImportSettings,
  onFault: (problem: RowProblem) => void,
  { askVersion, earlier, ui, signal }: PlanWorld,
): Promise<Plan> {
  const { via, noMail, from, update } = settings;
  let told = 0;
  let importStates = true;
  const scanWith = (addresses: AddressRules, skipped = 0): ReturnType<typeof scanInput> => {
    let faults = 0;
    const onNewFault = (problem: RowProblem): void => {
      faults += 1;
      if (faults <= skipped) return;
      told += 1;
      onFault(problem);
    };
    const routing = { via, noMail, importStates };
    const isUpdate = update !== undefined;
    return scanInput(input, { onFault: onNewFault, withReferences: true, routing, isUpdate, addresses }, ui, signal);
  };
  const onDependent = (): never => {
    throw new VersionNeeded();
  };
  // An unfinished job keeps its ways, also if the target does not report its version this time.
  const decideStates = async (): Promise<boolean> =>
    earlier === undefined ? capabilitiesOf(await askVersion()).importStates : isForImportStates(earlier);
  const scanByVersion = async (skipped: number): ReturnType<typeof scanInput> => {
    importStates = await decideStates();
    return scanWith(isByVersion ? capabilitiesOf(await askVersion()) : STRICTEST, skipped);
  };
  let isByVersion = false;
  let scanned = await scanWith({ ...STRICTEST, onDependent }).catch((error) => {
    if (!(error instanceof VersionNeeded)) throw error;
    isByVersion = true;
    // The faults before that address are the same by every version.
    return scanByVersion(told);
  });
  const isSent =
    scanned.scan.carries !== "as-is" && findObstacle(scanned.scan, input.path, { skipInvalid }) === undefined;
  // The way of an inactive user depends on the version.
  if (!isByVersion && isSent && scanned.scan.closed > 0 && !(await decideStates())) {
    scanned = await scanByVersion(told);
  }
  const { scan: found, sha256 } = scanned;
  const scan = mapIds(withVariant(found, from), settings);
  const timeout = readTimeout(calls.timeout ?? scan.timeout ?? DEFAULT_TIMEOUT, input.path);
  const parts = scan.carries === "as-is" ? [] : planParts(scan);
  const fingerprint = fingerprintOf(scan, settings, importStates);
  return { scan, parts, read: (extent) => input.read(extent), timeout, sha256, fingerprint };
}

/** spec: Versioning; an export of a later version loses data as `dataOrgsv1` (service behaviour 2.11). */
function withVariant(scan: BodyScan, from: "v1" | "v2" | undefined): BodyScan {
  if (from === undefined) return scan;
  return { ...scan, container: from === "v1" ? "dataOrgsv1" : "dataOrgs" };
}

function readTimeout(text: string, file: string): CallTimeout {
  const ms = parseDurationMs(text);
  if (ms === undefined || ms <= 0) throw new ProblemError({ code: "input.bad-timeout", file });
  return { text, ms };
}

/** The items of one section of all organizations, in portions; `wants` as for readItems. Raises the signal's reason. */
export async function* readSection(
  { scan, parts, read }: Items,
  key: "humanUsers" | "machineUsers" | "userMetadata" | "projects" | "projectRoles" | "projectGrants" | BelongingList,
  signal?: AbortSignal,
  wants: (first: number, count: number) => boolean = () => true,
): AsyncGenerator<readonly Item[]> {
  const wanted = parts.filter(({ section }) => section?.key === key);
  for await (const items of readItems(wanted, scan, read, wants)) {
    signal?.throwIfAborted();
    yield items;
  }
}

/** The heads of the organizations: everything of them that has no section. Raises the signal's reason. */
export async function* readHeads({ scan, parts, read }: Items, signal: AbortSignal): AsyncGenerator<Item> {
  const heads = parts.filter(({ section }) => section === undefined);
  for await (const items of readItems(heads, scan, read, () => true)) {
    signal.throwIfAborted();
    yield* items;
  }
}

/** The users of the input with these ids. */
export async function findUsers(
  items: Items,
  ids: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly Item[]>> {
  const found = new Map<string, Item[]>();
  if (ids.size === 0) return found;
  for await (const portion of readSection(items, "humanUsers", signal)) {
    for (const item of portion) {
      const id = userIdOf(item.bytes);
      // The bytes hold only until the next portion.
      if (ids.has(id)) found.set(id, [...(found.get(id) ?? []), { ...item, bytes: Buffer.from(item.bytes) }]);
    }
  }
  return found;
}

/** The elements that belong to users and stand in lists of their own, each with the id of its user. Raises the reason of a signal. */
export async function* readOwnedElements(
  { scan, parts, read }: Items,
  signal?: AbortSignal,
): AsyncGenerator<{ readonly item: Item; readonly owner: string }> {
  const owned = parts.filter(
    ({ section }) => section?.isWithinUsers !== true && Object.hasOwn(ownedLists, section?.key ?? ""),
  );
  for await (const items of readItems(owned, scan, read, () => true)) {
    signal?.throwIfAborted();
    for (const item of items) yield { item, owner: ownerOf(item) };
  }
}

/**
 * With `--org-map`, every organization of a file needs an id on the target: one that is not named may have the id of another organization
 * there. Raises input.org-not-mapped.
 */
export function checkMapped({ orgs, orgMap }: Pick<BodyScan, "orgs" | "orgMap">, file: string): void {
  if (orgMap === undefined) return;
  const orgIds = [...new Set(orgs.flatMap(({ sourceId = "" }) => (orgMap.has(sourceId) ? [] : [sourceId])))];
  if (orgIds.length > 0) throw new ProblemError({ code: "input.org-not-mapped", file, orgIds });
}

/** What keeps the input from being sent; undefined when it can be sent. */
export function findObstacle(
  { counts }: Pick<BodyScan, "counts">,
  file: string,
  { skipInvalid }: Pick<ImportSettings, "skipInvalid">,
): RunProblem | undefined {
  const { invalidUsers: users, otherFaults: entries } = counts;
  if (entries > 0) return { code: "input.invalid-entries", file, entries: users + entries };
  return users === 0 || skipInvalid ? undefined : { code: "input.invalid-users", file, users };
}
