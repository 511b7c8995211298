import type { BodyScan } from "../../../core/document/scan-types.ts";
import type { UserLog } from "../../../core/events/user-log.ts";
import { planRemovals, type RemovalPlan } from "../../../core/update/plan-removals.ts";
import { createRetry } from "../../shared/create-retry.ts";
import type { LogReading } from "../../shared/read-log.ts";
import { isRemoved, selectRemoved } from "../../shared/user-life.ts";
import type { ImportRun } from "../import-run.ts";
import type { UpdateSettings } from "../settings.ts";
import type { SourceFacts } from "./read-source.ts";

type Run = Pick<ImportRun, "source" | "input" | "ui" | "context">;

/** Whom the source has removed, and whether that is still so. */
export interface Removals {
  readonly plan: RemovalPlan;
  /** Asked immediately before a user is removed: false for one that the source has again, in whatever organization. */
  isGone(userId: string): Promise<boolean>;
}

/**
 * Decides who is removed on the target. "Removed in the source" is the last event of its log, never absence from the input; of an
 * organization of which the input lacks users, nobody is removed. undefined where nobody is to be. Raises what reading events raises.
 */
export async function decideRemovals(
  { source, input: { lackingOrgs }, ui, context }: Run,
  scan: Pick<BodyScan, "orgs" | "orgMap" | "sections">,
  { removed }: Pick<SourceFacts, "removed">,
  isInInput: (orgId: string, userId: string) => boolean,
  users: UserLog,
  { removals: how, maxDeletes: most }: Pick<UpdateSettings, "removals" | "maxDeletes">,
): Promise<Removals | undefined> {
  if (how === undefined || source === undefined) return undefined;
  const options = { how, most, isIncomplete: incompleteOrgs(lackingOrgs, scan) };
  const reading: LogReading = { api: source, ui, retry: createRetry(ui, context), signal: context.signal };
  const { orgs } = planRemovals(removed, isInInput, users, options);
  const found = orgs.flatMap(({ userIds, incomplete }) => [...userIds, ...incomplete]);
  const gone = await selectRemoved(found, reading);
  const isFound = new Set(found);
  // Of the others nothing is to be done, so nothing is asked.
  const exists = (orgId: string, id: string): boolean => isInInput(orgId, id) || (isFound.has(id) && !gone.has(id));
  return {
    plan: planRemovals(removed, exists, users, options),
    isGone: (userId) => isRemoved(userId, reading),
  };
}

/** Organizations of the target of which the export lacks anything, or users were left out as invalid; all where nobody can tell. */
function incompleteOrgs(
  lackingOrgs: readonly string[] | undefined,
  { orgs, orgMap, sections }: Pick<BodyScan, "orgs" | "orgMap" | "sections">,
): (orgId: string) => boolean {
  if (lackingOrgs === undefined) return () => true;
  const incomplete = new Set(lackingOrgs.map((orgId) => orgMap?.get(orgId) ?? orgId));
  for (const { org, invalid } of sections) if (invalid.size > 0) incomplete.add(orgs[org]?.orgId ?? "");
  return (orgId) => incomplete.has(orgId);
}
