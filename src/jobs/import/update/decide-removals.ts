import type { BodyScan } from "../../../core/document/scan-types.ts";
import { USER_REMOVED } from "../../../core/events/user-life.ts";
import type { UserLog } from "../../../core/events/user-log.ts";
import { type HowToRemove, planRemovals, type RemovalPlan } from "../../../core/update/plan-removals.ts";
import { askingOf } from "../../shared/asking.ts";
import { lastLifeEventOnce, selectRemoved } from "../../shared/user-life.ts";
import type { ImportRun } from "../import-run.ts";
import type { UpdateSettings } from "../settings.ts";
import type { SourceFacts } from "./read-source.ts";

type Run = Pick<ImportRun, "source" | "input" | "ui" | "context">;

/** The users that the source has removed. */
export interface Removals {
  readonly plan: RemovalPlan;
  /** Asked once immediately before a user is removed: false for one that the source has again, in any organization, or who got a role. */
  isGone(userId: string): Promise<boolean>;
}

/**
 * Decides which users to remove on the target. "Removed in the source" means that the last life event is a removal, never absence from the
 * input. In an organization of which the input lacks users, no user is removed. Without `--delete` and `--deactivate` the plan only names them. undefined for a file, which has no log. Raises what
 * reading events raises.
 */
export async function decideRemovals(
  { source, input: { lackingOrgs }, ui, context }: Run,
  scan: Pick<BodyScan, "orgs" | "orgMap" | "sections">,
  { removed }: Pick<SourceFacts, "removed">,
  isInInput: (orgId: string, userId: string) => boolean,
  users: UserLog,
  { removals, maxDeletes: most }: Pick<UpdateSettings, "removals" | "maxDeletes">,
  protectedUsers: ReadonlySet<string>,
  readProtected: () => Promise<ReadonlySet<string>>,
): Promise<Removals | undefined> {
  if (source === undefined) return undefined;
  const how: HowToRemove = removals ?? "keep";
  const options = { how, most, isIncomplete: incompleteOrgs(lackingOrgs, scan), protectedUsers };
  const reading = askingOf({ api: source, ui, context });
  const { orgs } = planRemovals(removed, isInInput, users, options);
  const found = orgs.flatMap(({ userIds, incomplete, notOurs }) => [
    ...userIds,
    ...incomplete,
    ...(how === "keep" ? notOurs : []),
  ]);
  const gone = await selectRemoved(found, reading);
  const isFound = new Set(found);
  // The others stay as they are, so they are not looked up.
  const exists = (orgId: string, id: string): boolean => isInInput(orgId, id) || (isFound.has(id) && !gone.has(id));
  return {
    plan: planRemovals(removed, exists, users, options),
    isGone: async (userId) =>
      (await lastLifeEventOnce(userId, reading))?.type.type === USER_REMOVED && !(await readProtected()).has(userId),
  };
}

/** Organizations of which the export lacks something, or had invalid users; all if it is unknown what the export lacks. */
function incompleteOrgs(
  lackingOrgs: readonly string[] | undefined,
  { orgs, orgMap, sections }: Pick<BodyScan, "orgs" | "orgMap" | "sections">,
): (orgId: string) => boolean {
  if (lackingOrgs === undefined) return () => true;
  const incomplete = new Set(lackingOrgs.map((orgId) => orgMap?.get(orgId) ?? orgId));
  for (const { org, invalid } of sections) if (invalid.size > 0) incomplete.add(orgs[org]?.orgId ?? "");
  return (orgId) => incomplete.has(orgId);
}
