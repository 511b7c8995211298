import { listEvents } from "../../../admin/events.ts";
import type { ServiceEvent } from "../../../contract/events.ts";
import { mayRecreate } from "../../../contract/versions.ts";
import { type Item, linksWithin } from "../../../core/document/items.ts";
import { machineIdOf, userIdOf } from "../../../core/document/user-id.ts";
import { USER_REMOVED } from "../../../core/events/user-life.ts";
import { fieldsOf, member, memberAt, textMember } from "../../../core/json/members.ts";
import { directoryEvents, UserDirectory } from "../../../core/transfer/user-directory.ts";
import type { UpdateResult } from "../../../core/update/update-result.ts";
import { LISTED } from "../../../problem/format.ts";
import type { Foreseen } from "../../../ui/summary/foreseen.ts";
import { comingBackLine } from "../../../ui/summary/foreseen.ts";
import type { HeldBackCause } from "../../../ui/summary/left-objects.ts";
import type { Progress } from "../../../ui/terminal/progress.ts";
import type { Asking } from "../../shared/asking.ts";
import { ifOffered } from "../../shared/not-offered.ts";
import type { LogReading } from "../../shared/read-log.ts";
import { searchOrgs } from "../../shared/search-orgs.ts";
import { lastLifeEvents, readSelf } from "../../shared/user-life.ts";
import { LinkLog, linkEventTypes } from "../../verify/links.ts";
import { type Items, type Plan, readSection } from "./plan.ts";
import type { TargetState } from "./target-state.ts";

type ForeseenOrg = Foreseen["orgs"][number];

/** Human users of the input who need a look. */
interface ForeseenUsers {
  /** Indexes of those who could not be created. */
  readonly failing: ReadonlySet<number>;
  /** Ids of existing ones with a user name that another user of the target has. */
  readonly renames: ReadonlySet<string>;
}

/** What an update would do. */
export interface ForeseenUpdate extends Pick<UpdateResult, "conflict" | "delete" | "update"> {
  readonly leavesRemoved: boolean;
  /** Ids of existing users that get nothing. */
  readonly fenced: ReadonlyMap<string, HeldBackCause | undefined>;
}

interface UserTaker {
  kept(item: Item): void;
  sending(items: readonly Item[]): void;
  leaves(userId: string, why?: HeldBackCause): void;
  takesOver(userId: string): void;
}

/** What is known beside the state of the target. */
interface Before {
  /** Indexes of items that the target has its own of. */
  readonly builtIn: ReadonlySet<number>;
  /** What an update would do, and whether it creates users again that another account deleted (not if `leavesRemoved`). */
  readonly update?: ForeseenUpdate | undefined;
  /** The links of all users of the target; undefined if the input has none. */
  readonly links: LinkLog | undefined;
  /** Learns which users the target has, which are new, and which get nothing. */
  readonly owners: UserTaker | undefined;
}

/** Finds out from the target's events what an import would do, and changes nothing. Raises what reading events raises. */
export async function foresee(
  target: TargetState,
  items: Items & Pick<Plan, "version">,
  { builtIn, update, links, owners }: Before,
  asking: LogReading,
  progress: Progress,
): Promise<ForeseenUsers & { readonly foreseen: Foreseen }> {
  const orgs = await foreseeOrgs(target, items, asking);
  const directory = await readDirectory(asking, progress);
  // An update deletes first: the names are free then.
  for (const id of update?.delete ?? []) {
    links?.removeUser(directory.orgOf(id) ?? "", id);
    directory.remove(id);
  }
  const renamed = update?.update.filter(({ fields }) => fields.includes("userName")) ?? [];
  await rename(new Set(renamed.map(({ userId }) => userId)), items, directory, asking.signal);
  for (const { userId, fields } of update?.update ?? [])
    if (fields.some((field) => namesOfPerson.has(field))) owners?.takesOver(userId);
  for (const [userId, why] of update?.fenced ?? []) owners?.leaves(userId, why);
  const left = new Set(update?.conflict.filter(({ reason }) => reason === "removed").map(({ userId }) => userId));
  const removedByOthers = update?.leavesRemoved ? await readRemovedByOthers(items, target, asking) : new Set<string>();
  const named: FailingUsers = {
    nameTaken: [],
    elsewhere: [],
    removed: [],
    removedByOther: [],
    removedWithOrg: [],
    linkTaken: [],
  };
  const failing = new Set<number>();
  const renames = new Set<string>();
  const users = await foreseeUsers(
    items,
    asking,
    { target, orgs, directory, left, removedByOthers, before: { builtIn, links, owners } },
    { named, failing, renames },
  );
  // Several entries, of several files for example, may be of one organization.
  const once = [...new Map(orgs.map((org) => [`${org.state} ${org.orgId}`, org])).values()];
  return { foreseen: { orgs: once, users, ...named }, failing, renames };
}

/** With one of these of the input, an account is taken for the same person's. */
const namesOfPerson: ReadonlySet<string> = new Set(["userName", "email", "hash"]);

/** An update renames users before it creates others, and tries again while names become free. Those whose new name stays taken keep theirs. */
async function rename(
  ids: ReadonlySet<string>,
  items: Items,
  directory: UserDirectory,
  signal: AbortSignal,
): Promise<void> {
  if (ids.size === 0) return;
  let waiting: { readonly id: string; readonly userName: string; readonly orgId: string }[] = [];
  for await (const portion of readSection(items, "humanUsers", signal))
    for (const { org, bytes } of portion) {
      const id = userIdOf(bytes);
      if (!ids.has(id)) continue;
      const userName = textMember(fieldsOf(memberAt(JSON.parse(bytes.toString()), ["user"])), "userName");
      waiting.push({ id, userName, orgId: items.scan.orgs[org]?.orgId ?? "" });
    }
  for (let before = 0; waiting.length > 0 && waiting.length !== before; ) {
    before = waiting.length;
    waiting = waiting.filter(({ id, userName, orgId }) => {
      const isTaken = directory.isTaken(userName, orgId, id);
      if (!isTaken) directory.rename(id, userName, orgId);
      return isTaken;
    });
  }
}

/** What an import would do with each organization of the input, in the order of the input. */
async function foreseeOrgs({ orgs: known }: TargetState, items: Items, asking: Asking): Promise<ForeseenOrg[]> {
  const living = [...known.values()].filter(({ isRemoved }) => !isRemoved);
  const names = new Map(living.map((org) => [lower(org.name), org.id]));
  // Organizations of an instance import may come without events (spec: Events).
  const isAllKnown = items.scan.orgs.every(({ orgId }) => known.has(orgId));
  const found = isAllKnown ? new Map<string, string>() : await searchOrgs(asking);
  for (const [id, name] of found ?? []) names.set(lower(name), id);
  const orgs: ForeseenOrg[] = [];
  /** Organizations that an earlier entry creates. */
  const created = new Map<string, ForeseenOrg>();
  for (const { orgId, sourceId, name = "" } of items.scan.orgs) {
    const mapped = sourceId === undefined || sourceId === orgId ? {} : { sourceId };
    const there = known.get(orgId);
    const otherId = names.get(lower(name));
    if (there === undefined && found?.has(orgId) === true) orgs.push({ orgId, name, state: "there" });
    else if (there !== undefined)
      orgs.push({ orgId, name: there.name, state: there.isRemoved ? "removed" : "there", ...mapped });
    else if (created.has(orgId))
      orgs.push(created.get(orgId) as ForeseenOrg); // has it
    else if (name === "") orgs.push({ orgId, name, state: found === undefined ? "unknown" : "missing" });
    else if (otherId !== undefined) orgs.push({ orgId, name, state: "name-taken", otherId, ...mapped });
    else {
      const org: ForeseenOrg = { orgId, name, state: found === undefined ? "unknown" : "new" };
      orgs.push(org);
      created.set(orgId, org);
      names.set(lower(name), orgId);
    }
  }
  return orgs;
}

/** Reads which users the target has, by id and by name, from its events. Raises what reading events raises. */
export async function readDirectory({ api, retry, signal }: Asking, progress: Progress): Promise<UserDirectory> {
  const directory = new UserDirectory();
  let read = 0;
  for await (const event of listEvents(api, { eventTypes: directoryEvents }, retry, signal)) {
    directory.take(event);
    read += 1;
    progress.update(() => `${read} events`);
  }
  return directory;
}

/** The links of all users of the target; undefined if the input has none, or if the target does not offer its events. Raises net.*, auth.refused. */
export async function readLinks(
  { scan }: Items,
  { orgRemovals }: Pick<TargetState, "orgRemovals">,
  { api, retry, signal }: Asking,
): Promise<LinkLog | undefined> {
  if (!scan.sections.some(({ key, count }) => key === "userLinks" && count > 0)) return undefined;
  return ifOffered(async () => {
    const log = new LinkLog();
    for await (const event of listEvents(api, { eventTypes: linkEventTypes }, retry, signal))
      if (orgRemovals.after(event) === undefined) log.apply(event, false);
    return log;
  });
}

/** The users of the input whose last event on the target is a deletion by another account than the token's. */
async function readRemovedByOthers(
  items: Items,
  { removedFrom }: TargetState,
  asking: LogReading,
  isWanted: (from: string, orgId: string) => boolean = () => true,
): Promise<ReadonlySet<string>> {
  if (removedFrom === undefined) return new Set();
  const removed = await removedUsers(items, removedFrom, isWanted, asking.signal);
  if (removed.length === 0) return new Set();
  const self = await readSelf(asking);
  const last = await lastLifeEvents(removed, asking);
  const isByOther = ([, { type, editor }]: [string, ServiceEvent]): boolean =>
    type.type === USER_REMOVED && editor?.userId !== self;
  return new Set([...last].filter(isByOther).map(([id]) => id));
}

/**
 * Says which users of the input another account deleted on the target: without --update, they are created again. Raises what reading events
 * raises.
 */
export async function reportComingBack(
  items: Items & Pick<Plan, "version">,
  target: TargetState,
  asking: LogReading,
): Promise<void> {
  const mayCome = (from: string, orgId: string): boolean => mayRecreate(items.version, from, orgId);
  const ids = await readRemovedByOthers(items, target, asking, mayCome);
  if (ids.size > 0) asking.ui.warn(comingBackLine([...ids]));
}

/** The users of the input who were deleted on the target at some time, in any organization. */
async function removedUsers(
  items: Items,
  removedFrom: NonNullable<TargetState["removedFrom"]>,
  isWanted: (from: string, orgId: string) => boolean,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const [section, idOf] of [
    ["machineUsers", machineIdOf],
    ["humanUsers", userIdOf],
  ] as const)
    for await (const portion of readSection(items, section, signal))
      for (const { org, bytes } of portion) {
        const id = idOf(bytes);
        const from = removedFrom(id);
        if (from !== undefined && isWanted(from, items.scan.orgs[org]?.orgId ?? "")) ids.push(id);
      }
  return ids;
}

/** The first of the users who would fail, by reason. */
interface FailingUsers {
  readonly nameTaken: string[];
  readonly elsewhere: { readonly userId: string; readonly orgId: string }[];
  readonly removed: { readonly userId: string; readonly orgId: string }[];
  readonly removedByOther: { readonly userId: string; readonly orgId: string }[];
  readonly removedWithOrg: { readonly userId: string; readonly orgId: string }[];
  readonly linkTaken: { readonly userId: string; readonly idpId: string }[];
}

interface Knowledge {
  readonly target: TargetState;
  readonly orgs: readonly ForeseenOrg[];
  readonly directory: UserDirectory;
  readonly before: Before;
  /** Users with a conflict, because another account deleted them in the organization of the input. */
  readonly left: ReadonlySet<string>;
  /** Users that another account deleted last: an update does not create them again. */
  readonly removedByOthers: ReadonlySet<string>;
}

async function foreseeUsers(
  items: Items & Pick<Plan, "version">,
  { api: { redactor }, signal }: Asking,
  { target, orgs, directory, left, removedByOthers, before: { builtIn, links, owners } }: Knowledge,
  {
    named,
    failing,
    renames,
  }: { readonly named: FailingUsers; readonly failing: Set<number>; readonly renames: Set<string> },
): Promise<Foreseen["users"]> {
  const { scan, version } = items;
  const counts = {
    ...{ new: 0, alreadyThere: 0, elsewhere: 0, nameTaken: 0, withoutOrg: 0 },
    ...{ removed: 0, removedByOther: 0, removedWithOrg: 0 },
  };
  const noteIfTaken = (id: string, userName: string, orgId: string): boolean => {
    const isTaken = directory.isTaken(userName, orgId);
    if (isTaken) counts.nameTaken += 1;
    if (isTaken && id !== "" && named.nameTaken.length < LISTED) named.nameTaken.push(id);
    return isTaken;
  };
  let linkTaken = 0;
  const noteIfLinked = (entry: Buffer, orgId: string): boolean => {
    const taken = links === undefined ? [] : linksWithin(entry).filter((link) => links.isOfOther(orgId, link));
    for (const link of taken.slice(0, 1)) {
      linkTaken += 1;
      if (named.linkTaken.length < LISTED)
        named.linkTaken.push({ userId: userIdOf(entry), idpId: textMember(link, "idpId") });
    }
    return taken.length > 0;
  };
  const note = (
    why: "elsewhere" | "removed" | "removedByOther" | "removedWithOrg",
    userId: string,
    orgId: string,
  ): void => {
    counts[why] += 1;
    if (named[why].length < LISTED) named[why].push({ userId, orgId: redactor.clean(orgId) });
  };
  for await (const portion of readSection(items, "machineUsers", signal)) {
    for (const item of portion) {
      const { org, bytes, index } = item;
      const id = machineIdOf(bytes);
      const home = directory.orgOf(id);
      const from = target.removedFrom?.(id);
      const orgId = scan.orgs[org]?.orgId ?? "";
      if (builtIn.has(index)) continue;
      if (home === orgId && directory.isMachine(id)) {
        owners?.kept(item);
        continue;
      }
      const former = directory.removedWith(id);
      const state = orgs[org]?.state;
      if (home !== undefined) note("elsewhere", id, home);
      else if (former !== undefined) {
        if (state !== undefined && !fails(state)) note("removedWithOrg", id, former);
      } else if (from !== undefined && from !== orgId && !mayRecreate(version, from, orgId)) note("removed", id, from);
      else if (from !== undefined && removedByOthers.has(id)) note("removedByOther", id, from);
      else {
        const { user } = fieldsOf(JSON.parse(bytes.toString()));
        if (!noteIfTaken(id, textMember(fieldsOf(user), "userName"), orgId)) {
          owners?.sending([item]);
          continue;
        }
      }
      owners?.leaves(id);
    }
  }
  for await (const portion of readSection(items, "humanUsers", signal)) {
    for (const item of portion) {
      const { org, bytes, index } = item;
      const entry = fieldsOf(JSON.parse(bytes.toString()));
      const id = textMember(entry, "userId");
      const userName = textMember(fieldsOf(member(entry, "user")), "userName");
      const orgId = scan.orgs[org]?.orgId ?? "";
      const state = orgs[org]?.state;
      const home = directory.orgOf(id);
      const from = target.removedFrom?.(id);
      const former = directory.removedWith(id);
      failing.add(index);
      if (left.has(id)) continue;
      if (state === undefined || fails(state)) counts.withoutOrg += 1;
      else if (builtIn.has(index) || (home === orgId && !directory.isMachine(id))) {
        counts.alreadyThere += 1;
        failing.delete(index);
        owners?.kept(item);
        if (directory.isTaken(userName, orgId, id)) renames.add(id);
      } else if (home !== undefined) note("elsewhere", id, home);
      else if (former !== undefined) note("removedWithOrg", id, former);
      else if (id !== "" && from !== undefined && !mayRecreate(version, from, orgId)) note("removed", id, from);
      else if (from !== undefined && from !== orgId && removedByOthers.has(id)) note("removedByOther", id, from);
      else if (!noteIfTaken(id, userName, orgId) && !noteIfLinked(bytes, orgId)) {
        counts.new += 1;
        failing.delete(index);
        directory.expect(id, userName, orgId);
        owners?.sending([item]);
      }
      if (failing.has(index)) owners?.leaves(id);
    }
  }
  return linkTaken === 0 ? counts : { ...counts, linkTaken };
}

/** True for an organization that takes no items. */
export function fails(state: ForeseenOrg["state"]): boolean {
  return state === "missing" || state === "name-taken" || state === "removed";
}

function lower(name: string): string {
  return name.toLowerCase();
}
