import { camelKey } from "../../../contract/import-request.ts";
import { type Item, readItems } from "../../../core/document/items.ts";
import { comparedByEvents, comparedId, HEAD, isHeadSetting, otherLists } from "../../../core/document/org-sections.ts";
import type { Part } from "../../../core/document/parts.ts";
import { isFirstOf } from "../../../core/document/scan-types.ts";
import { USER_REMOVED } from "../../../core/events/user-life.ts";
import { fieldsOf } from "../../../core/json/members.ts";
import { typeOfSection } from "../../../core/transfer/answer/element-types.ts";
import { ProblemError } from "../../../problem.ts";
import { missingObjectsLine } from "../../../ui/summary/update-plan.ts";
import { askingOf } from "../../shared/asking.ts";
import { ifOffered, notOffered } from "../../shared/not-offered.ts";
import { lastLifeEvents } from "../../shared/user-life.ts";
import type { Comparison } from "../../verify/by-events.ts";
import { type ComparedObjects, compareObjects, tellUnknownGrants } from "../../verify/by-export.ts";
import type { ImportRun } from "../import-run.ts";
import type { Ledger } from "../ledger.ts";
import { tellLeft } from "../outcome/left-objects.ts";
import type { Plan } from "../plan/plan.ts";
import { tellHeldMessages } from "../plan/sent-heads.ts";
import type { Screen } from "../provenance/screen.ts";

/** An import replaces the actions of a trigger (service behaviour 9.40). */
const REPLACED: ReadonlySet<string> = new Set(["triggerActions"]);

/**
 * Compares all objects besides human users with the target, of a body those of its lists.
 * Missing objects are created later; existing ones are never changed. undefined if the target does not export: then everything is sent.
 */
export async function compareOthers(run: Comparison, plan: Plan): Promise<ComparedObjects | undefined> {
  const { scan, timeout } = plan;
  const isExport = scan.carries === "export";
  const listed = otherLists(scan.sections);
  if (!isExport && listed.size === 0) return undefined;
  try {
    const wants = (section: string): boolean | "id" => {
      if (section === "humanUsers") return "id";
      // Only a later export names flows and triggers as the target does.
      if (REPLACED.has(section)) return isExport && scan.container === "dataOrgs" ? "id" : false;
      return isExport ? !comparedByEvents.has(section) : listed.has(section);
    };
    return await compareObjects(run, scan, timeout.text, wants, { states: "compared" });
  } catch (error) {
    if (!(error instanceof ProblemError) || run.context.signal.aborted) throw error;
    // Of a body, nothing depends on it.
    if (isExport && notOffered(error) === undefined) throw error;
    if (isExport) tellHeldMessages(scan, run.ui);
    return undefined;
  }
}

/** Prints and reports the differences by type and id. Raises what reading events raises. */
export async function tellDifferences(
  compared: ComparedObjects,
  run: Comparison & Pick<ImportRun, "source">,
  plan: Plan,
): Promise<void> {
  const { different, onlyOnTarget, otherMachines } = compared;
  const gone = await removedAtSource(otherMachines.list, run);
  const count = gone.length + onlyOnTarget.count;
  const others = {
    ...(count === 0 ? {} : { onlyOnTarget: [...gone, ...onlyOnTarget.list], onlyOnTargetCount: count }),
    otherDifferences: different.list.map(({ line: _, hash: __, userId, roleKeys, ...one }) => ({
      ...one,
      ...(userId === undefined ? {} : { userId }),
      ...(roleKeys === undefined ? {} : { roleKeys: [...roleKeys] }),
    })),
    otherDifferencesCount: different.count,
  };
  await tellLeft(run, plan, others, true);
  tellUnknownGrants(compared, run);
}

/** The service users that the source of a copy has deleted. */
async function removedAtSource<T extends { readonly id: string }>(
  machines: readonly T[],
  { source, ui, context }: Pick<ImportRun, "source" | "ui" | "context">,
): Promise<readonly T[]> {
  if (source === undefined || machines.length === 0) return [];
  const ids = machines.map(({ id }) => id);
  const last = await ifOffered(() => lastLifeEvents(ids, askingOf({ api: source, ui, context })));
  return machines.filter(({ id }) => last?.get(id)?.type.type === USER_REMOVED);
}

/** Says and reports how many objects besides users and organizations will be created, by section; settings are not counted. */
export function tellMissing(
  missing: ReadonlyMap<string, number>,
  { ui, report }: Pick<ImportRun, "ui" | "report">,
): void {
  const found = [...missing].flatMap(([section, objects]) => {
    const type = typeOfSection(section);
    return type === undefined || objects <= 0 ? [] : [[type, objects] as const];
  });
  if (found.length === 0) return;
  ui.say(missingObjectsLine(found));
  report.set({ missingObjects: Object.fromEntries(found) });
}

/**
 * Settles existing objects, so that they are not sent, and counts them as existing; of a body, only the links within its users. A head of which
 * something is missing is sent with that alone.
 */
export async function leaveWhatIsThere(
  compared: ComparedObjects,
  { input, context }: Pick<Comparison, "input" | "context">,
  { scan, parts }: Pick<Plan, "scan" | "parts">,
  ledger: Ledger,
  screen: Screen,
): Promise<void> {
  if (scan.carries === "export") screen.isThere = compared.isThere;
  const others = parts.filter(({ section }: Part) => isLeftList(scan, section?.key, section?.isWithinUsers));
  const wanted = (first: number, count: number): boolean => !ledger.state.done.covers(first, count);
  for await (const items of readItems(others, scan, (extent) => input.read(extent), wanted)) {
    context.signal.throwIfAborted();
    for (const item of items) {
      const orgId = scan.orgs[item.org]?.orgId ?? "";
      const isOfOrg = item.key === HEAD && compared.isThere(orgId, "org", "");
      if (!isThere(isOfOrg ? await screen.leftOf(item) : item, scan, compared)) continue;
      const isCounted = item.key !== HEAD || isFirstOf(scan.orgs, item.org);
      ledger.leave(item.index, isCounted && !item.isWithinUser ? typeOf(item) : undefined);
    }
  }
}

/** True for an item that an update will not send, because it exists. */
export function isLeftThere(item: Item, { scan }: Pick<Plan, "scan">, compared: ComparedObjects): boolean {
  return isLeftList(scan, item.key, item.isWithinUser) && isThere(item, scan, compared);
}

function isLeftList({ carries }: Plan["scan"], key = "", isWithinUsers = false): boolean {
  return carries === "export" ? !comparedByEvents.has(key) : isWithinUsers;
}

function isThere({ key, bytes, org }: Item, { orgs }: Plan["scan"], compared: ComparedObjects): boolean {
  const { orgId = "" } = orgs[org] ?? {};
  if (key !== HEAD) {
    const id = comparedId(key, JSON.parse(bytes.toString()));
    return id !== undefined && compared.isThere(orgId, key, id);
  }
  const settings = Object.entries(fieldsOf(JSON.parse(`{${bytes.toString()}}`))).filter(
    ([name, value]) => isHeadSetting(name) && !(Array.isArray(value) && value.length === 0),
  );
  return compared.isThere(orgId, "org", "") && settings.every(([name]) => compared.isThere(orgId, camelKey(name), ""));
}

function typeOf({ key }: Item): string {
  return key === HEAD ? "org" : (typeOfSection(key) ?? key);
}
