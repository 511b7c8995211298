import { askClock } from "../../../admin/version.ts";
import { withRetry } from "../../../admin/with-retry.ts";
import type { ServiceEvent } from "../../../contract/events.ts";
import type { BodyScan } from "../../../core/document/scan-types.ts";
import { isAlive, MACHINE_ADDED, USER_REMOVED } from "../../../core/events/user-life.ts";
import type { UserLog } from "../../../core/events/user-log.ts";
import { isLater } from "../../../core/rules/moment.ts";
import { type HowToRemove, planRemovals, type RemovalPlan } from "../../../core/update/plan-removals.ts";
import { type Asking, askingOf } from "../../shared/asking.ts";
import { LOOKED_UP, lastLifeEventOnce, lastLifeEvents } from "../../shared/user-life.ts";
import type { ImportRun } from "../import-run.ts";
import type { UpdateSettings } from "../settings.ts";
import type { SourceFacts } from "./read-source.ts";

/** The users that the source has removed. */
export interface Removals {
  readonly plan: RemovalPlan;
  /**
   * Asked once immediately before a user is removed, with the user's last life event on the target: why the user stays after all, if there
   * is a reason. `back`: the source has the user again, in any organization.
   */
  whyKept(userId: string, last: ServiceEvent): Promise<"back" | "protected" | "other-person" | undefined>;
}

/**
 * Decides which users to remove on the target. "Removed in the source" means that the last life event is a removal, never absence from the
 * input. A user who was created on the target after that removal is another person, and so is one who was at no time the source's. In an organization of which the input lacks users, no
 * user is removed. Without `--delete` and `--deactivate` the plan only names them. undefined for a file, which has no log. Raises what
 * reading events raises.
 */
export async function decideRemovals(
  { api, source, input: { lackingOrgs }, ui, context }: Pick<ImportRun, "api" | "source" | "input" | "ui" | "context">,
  scan: Pick<BodyScan, "orgs" | "orgMap" | "sections">,
  { removed, isStranger }: Pick<SourceFacts, "removed" | "isStranger">,
  isInInput: (orgId: string, userId: string) => boolean,
  users: UserLog,
  { removals, maxDeletes: most }: Pick<UpdateSettings, "removals" | "maxDeletes">,
  protectedUsers: ReadonlySet<string>,
  readProtected: () => Promise<ReadonlySet<string>>,
): Promise<Removals | undefined> {
  if (source === undefined) return undefined;
  const how: HowToRemove = removals ?? "keep";
  const incomplete = incompleteOrgs(lackingOrgs, scan);
  const options = { how, most, isIncomplete: incomplete, protectedUsers, isOther: (_: string) => false };
  const reading = askingOf({ api: source, ui, context });
  const { orgs } = planRemovals(removed, isInInput, users, options);
  const removable = orgs.flatMap(({ userIds, incomplete }) => [...userIds, ...incomplete]);
  // These stay, and are named.
  const found = [...removable, ...orgs.flatMap(({ notOurs }) => notOurs)];
  const last = await lastLifeEvents(found, reading);
  const isFound = new Set(found);
  const isGone = (id: string): boolean => last.get(id)?.type.type === USER_REMOVED;
  // The others stay as they are, so they are not looked up.
  const exists = (orgId: string, id: string): boolean => isInInput(orgId, id) || (isFound.has(id) && !isGone(id));
  const toRemove = how === "keep" ? [] : removable.filter(isGone);
  const target = askingOf({ api, ui, context });
  const onTarget = await lastLifeEvents(toRemove, target);
  const skewMs = toRemove.length === 0 ? 0 : await readSkew(reading, target);
  const isLaterUser = (id: string): boolean => {
    const event = onTarget.get(id);
    return isAlive(event) && !isFormer(event, last.get(id), skewMs);
  };
  const strangers = new Set<string>();
  // The others are asked about before they are removed.
  for (const id of toRemove.slice(0, LOOKED_UP)) if ((await isStranger?.(id)) === true) strangers.add(id);
  const isOther = (id: string): boolean => isLaterUser(id) || strangers.has(id);
  return {
    plan: planRemovals(removed, exists, users, { ...options, isOther }),
    async whyKept(userId, existing) {
      const removal = await lastLifeEventOnce(userId, reading);
      if (removal?.type.type !== USER_REMOVED) return "back";
      if (!isFormer(existing, removal, skewMs) || (await isStranger?.(userId)) === true) return "other-person";
      return (await readProtected()).has(userId) ? "protected" : undefined;
    },
  };
}

/**
 * True if a user was created on the target before this removal at the source, and is not a machine user in the place of one. `skewMs`: how
 * far the source's clock is ahead of the target's.
 */
function isFormer(created: ServiceEvent, removal: ServiceEvent | undefined, skewMs: number): boolean {
  if (removal === undefined || created.type.type === MACHINE_ADDED) return false;
  if (skewMs === 0) return isLater(removal.creationDate, created.creationDate);
  return Date.parse(removal.creationDate) - skewMs > Date.parse(created.creationDate);
}

/** Less than this is no difference: the header has whole seconds, and an answer takes time. */
const TOLERANCE_MS = 2_000;

/**
 * How far the clock of one instance is ahead of another's, in milliseconds, by the Date headers of their answers; 0 for less than two
 * seconds, or if there are none. Raises what a search for organizations raises.
 */
async function readSkew(asking: Asking, other: Asking): Promise<number> {
  const [ahead, otherAhead] = [await aheadOfUs(asking), await aheadOfUs(other)];
  if (ahead === undefined || otherAhead === undefined) return 0;
  const skew = ahead - otherAhead;
  return Math.abs(skew) < TOLERANCE_MS ? 0 : skew;
}

async function aheadOfUs({ api, retry, signal }: Asking): Promise<number | undefined> {
  const { date, atMs } = await withRetry(() => askClock(api, signal), retry, signal);
  return date === undefined ? undefined : date.getTime() - atMs;
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
