import { serviceLimits } from "../../../contract/service-limits.ts";
import { viewOfEntry } from "../../../core/compare/user-view.ts";
import { profileFields, type UserView } from "../../../core/compared-fields.ts";
import type { Item } from "../../../core/document/items.ts";
import { type UserEntry, userEntry } from "../../../core/document/user-metadata.ts";
import { DELETED, type Edit, metadataField } from "../../../core/events/edit-log.ts";
import type { InstanceLog } from "../../../core/events/instance-log.ts";
import { mayBeRecreated } from "../../../core/events/user-life.ts";
import type { LoggedUser, UserLog } from "../../../core/events/user-log.ts";
import { fieldsOf, member, putAt, textMember } from "../../../core/json/members.ts";
import { isUnfinishedState } from "../../../core/rules/human-user.ts";
import { isLongerThan } from "../../../core/rules/text.ts";
import {
  emptiedByExport,
  isClosedByOther,
  lackedByBody,
  lackedByExport,
  substitutedNames,
} from "../../../core/update/lacked-values.ts";
import { planUser, type UserPlan, wholeView } from "../../../core/update/plan-user.ts";
import type { UserUpdate } from "../../../core/update/update-result.ts";
import type { ComparedField } from "../../../core/user-fields.ts";
import type { CreatedAt } from "../../shared/user-life.ts";
import { type Items, readSection } from "../plan/plan.ts";
import type { UpdateSettings } from "../settings.ts";
import type { SourceFacts } from "./read-source.ts";

/** The plan for one existing user of the input. */
export interface PlannedUser {
  readonly item: Item;
  readonly entry: unknown;
  readonly orgId: string;
  readonly userId: string;
  readonly wanted: UserView;
  readonly user: LoggedUser;
  readonly plan: Exclude<UserPlan, { kind: "create" }> & { readonly left: LeftOfUser };
  readonly metadata: MetadataChanges;
}

/** Why everything that differs is a conflict. See `LeftOfUser`. */
export type Fence = NonNullable<LeftOfUser["fence"]>;

/** What an update leaves of a user besides conflicts. */
interface LeftOfUser extends Pick<UserUpdate, "kept" | "notInFile" | "closedByOther" | "changedBy" | "isUnverified"> {
  /**
   * Why everything that differs is a conflict. protected: the user has a role on the instance, or is a service user of this job. recreated:
   * the source deleted the user of the target, and has another one with the id. removed: another user deleted the user on the target, and
   * nothing of the user is sent.
   */
  readonly fence?: "protected" | "recreated" | "other-person" | "removed";
}

/** What the plan does to a user, by names of fields. */
export function updateOf({ userId, plan, user, wanted, metadata }: PlannedUser): UserUpdate {
  const touched = metadata.touched.map(metadataField);
  const fields = [...new Set([...user.touched, ...plan.fields, ...touched, ...metadataFields(metadata)])];
  const conflicts = [...plan.conflicts, ...metadata.conflicts.map(metadataField)];
  const { fence, ...others } = plan.left;
  const states = wanted.state === undefined ? undefined : { input: wanted.state, target: user.state };
  const left = { ...others, states };
  const isListed = plan.notUpdated.length > 0 && (fence === undefined || fence === "protected");
  const values = isListed ? { ...left, notUpdated: plan.notUpdated } : left;
  if (fence === "removed") return { userId, fields: [], conflicts: [DELETED], reason: fence, ...values };
  if (fence !== undefined && conflicts.length > 0) return { userId, fields, conflicts, reason: fence, ...values };
  const reason =
    user.isInitial && !user.isOurs && conflicts.includes("hash") ? ({ reason: "never-finished" } as const) : {};
  return { userId, fields, conflicts, ...reason, ...values };
}

/** The metadata that is changed, as a report names it. */
export function metadataFields({ set, removed }: Pick<MetadataChanges, "set" | "removed">): readonly string[] {
  return [...set.map(({ key }) => key), ...removed].map(metadataField);
}

/** True for a user that needs a call. */
export function needsCalls({ plan, metadata }: PlannedUser): boolean {
  return plan.fields.length + metadata.set.length + metadata.removed.length > 0;
}

export interface MetadataChanges {
  readonly set: readonly { readonly key: string; readonly value: string }[];
  readonly removed: readonly string[];
  /** Keys of `set` that must be removed first, although the user does not have them. */
  readonly stale: readonly string[];
  /** Keys that another user has set to another value. */
  readonly conflicts: readonly string[];
  /** Keys that this job set or removed before it was interrupted. */
  readonly touched: readonly string[];
}

/** The inputs of planning. */
export interface Planning {
  readonly log: InstanceLog;
  readonly edits: Edits;
  readonly source: SourceFacts;
  readonly settings: Pick<UpdateSettings, "prefer">;
  /** Of users that the source removed: when the target's user was created. */
  readonly createdAt: CreatedAt;
  /** Users who are never changed. */
  readonly protectedUsers: ReadonlySet<string>;
  /** True for an export: a field that it does not give is empty. In a body, such a field is not compared. */
  readonly isWhole: boolean;
  readonly input: Items & { readonly signal: AbortSignal };
}

/** Changes of users on the target. */
export interface Edits {
  /** The newest change of one of these fields by another account, by their names in reports; undefined if it is not known. Raises what reading events raises. */
  newest(orgId: string, userId: string, fields: readonly string[]): Promise<Edit | undefined>;
  /** True for a user that this account alone has changed, and who never had one-time codes. Raises what reading events raises. */
  neverHadCodes(userId: string): Promise<boolean>;
}

/** Takes the items of the input that are no existing users. */
export interface PlanReader {
  onCreate(item: Item, userId: string, user: LoggedUser | undefined): void;
  /** The place of an entry of an existing user's metadata. */
  onMetadata(index: number): void;
  /** An entry of a user who is recreated: the service takes it for set, and writes it only after a removal. */
  onStale(entry: StaleEntry): void;
}

/** An entry of metadata that was deleted with its user. */
export interface StaleEntry extends UserEntry {
  readonly orgId: string;
}

/**
 * Plans for every user of the input, in the order of sending. The items of a user hold until the next one is asked for.
 */
export async function* planUpdates(planning: Planning, reader: PlanReader): AsyncGenerator<PlannedUser> {
  const { log, edits, source, settings, isWhole, input } = planning;
  const { scan, signal } = input;
  log.users.giveBack();
  const metadata = await planMetadata(planning, reader);
  for await (const items of readSection(input, "humanUsers", signal)) {
    for (const item of items) {
      const given: unknown = JSON.parse(item.bytes.toString());
      const userId = textMember(fieldsOf(given), "userId");
      const orgId = scan.orgs[item.org]?.orgId ?? "";
      const user = userId === "" ? undefined : log.users.find(orgId, userId);
      const changes = (user === undefined ? undefined : metadata.get(user.number)) ?? noChanges();
      const existing = user?.isThere === true && !isOfThisJob(user) ? user : undefined;
      const lacks = existing === undefined || !isWhole ? undefined : { existing, changes, orgId, userId };
      const ofBody = isWhole ? undefined : existing;
      const substituted = ofBody === undefined ? [] : substitutedNames(viewOfEntry(given), ofBody, log.users);
      const isNamed = ofBody !== undefined && substituted.length === 0;
      const entry = isNamed ? withDisplayName(given, ofBody, log.users) : given;
      const read = viewOfEntry(entry);
      const view = substituted.length === 0 ? read : withoutProfile(read);
      const lacked = ofBody === undefined ? [] : lackedByBody(read, ofBody, log.users, changes.removed);
      // An import makes a user without a state active: with the source preferred, an update does, too.
      const isOpened = settings.prefer === "source" && lacked.includes("state");
      const asked: UserView = isOpened ? { ...view, state: "active" } : view;
      const { wanted, kept, removed } = await withoutGuesses(asked, lacks, planning);
      const unsaid = [...kept, ...lacked.filter((field) => !(isOpened && field === "state"))];
      const values = unsaid.length === 0 ? {} : source.lacks === undefined ? { notInFile: unsaid } : { kept: unsaid };
      if (user?.isRemovedByOther === true && settings.prefer !== "source") {
        const left = { fence: "removed", changedBy: await edits.newest(orgId, userId, [DELETED]) } as const;
        const plan = { kind: "keep", fields: [], conflicts: [], notUpdated: [], left } as const;
        if (log.users.take(user)) yield { item, entry, orgId, userId, wanted, user, plan, metadata: noChanges() };
        continue;
      }
      const fence = await fenceOf({ orgId, userId, existing, wanted }, planning);
      const isClosed = existing !== undefined && isClosedByOther(read, existing, log.users);
      const closedByOther = isClosed ? await closedBy(edits, orgId, userId) : undefined;
      const isVerified = existing !== undefined && log.users.hasValue(existing, "isEmailVerified", "true");
      const isUnverified = isVerified && wanted.isEmailVerified !== "true";
      const left = { ...values, closedByOther, isUnverified, ...(fence === undefined ? {} : { fence }) };
      const isUnfinished = isUnfinishedState(member(fieldsOf(given), "state"));
      const options = { prefer: settings.prefer, givenHash: source.givenHash(orgId, userId), isUnfinished };
      const decided = planUser(log.users, user, wanted, options);
      const codesOf = { orgId, userId, existing, wanted };
      const plan =
        decided.kind === "create"
          ? decided
          : (await hasOldCodes(codesOf, planning))
            ? withField(decided, "otp")
            : fence === undefined && (await getsCodes(codesOf, planning))
              ? withCodes(decided)
              : decided;
      if (plan.kind === "create" || user === undefined || isOfThisJob(user)) reader.onCreate(item, userId, user);
      else if (log.users.take(user)) {
        const own = { ...changes, removed };
        const conflicts = [...plan.conflicts, ...own.conflicts.map(metadataField)];
        const changedBy = await edits.newest(orgId, userId, conflicts);
        const planned = { item, entry, orgId, userId, wanted, user, metadata: own };
        yield fence === undefined
          ? { ...planned, plan: { ...plan, left: { ...left, changedBy } } }
          : protect({ ...planned, plan: { ...plan, left } }, log.users);
      }
    }
  }
}

/**
 * Why an existing user is not changed, if there is a reason. If the source deleted a user of this id, and the target's user is older than the
 * source's, the two may be different persons: the source's would get the former one's password. So they may if a date is unknown. So may a
 * user who has nothing of the input's, unless the source is preferred; one that the same account created only if the source's user never
 * had anything of this user, or, for a file, if neither the phone number nor both names are the input's. Raises what reading events raises.
 */
async function fenceOf(
  user: { orgId: string; userId: string; existing: LoggedUser | undefined; wanted: UserView },
  { source, createdAt, protectedUsers, log, settings }: Planning,
): Promise<LeftOfUser["fence"]> {
  const { userId, existing, wanted } = user;
  if (protectedUsers.has(userId)) return "protected";
  if (existing === undefined) return undefined;
  if (source.removedIds.has(userId) && mayBeRecreated(await source.createdAt(userId), await createdAt(userId)))
    return "recreated";
  if (settings.prefer === "source" || hasNameOf(wanted, existing, log.users)) return undefined;
  if (!existing.isOurs) return "other-person";
  const isStranger = (await source.isStranger?.(userId)) ?? !hasPersonOf(wanted, existing, log.users);
  return isStranger ? "other-person" : undefined;
}

/** True if the user of the target has one-time codes that the source's user had before. Raises what reading events raises. */
async function hasOldCodes(
  user: { orgId: string; userId: string; existing: LoggedUser | undefined; wanted: UserView },
  { source, log }: Planning,
): Promise<boolean> {
  const { orgId, userId, existing, wanted } = user;
  if (existing === undefined || !log.users.hasValue(existing, "otp", "true")) return false;
  if (wanted.otp === "true") return (await source.hasNewOtp?.(orgId, userId)) === true;
  return wanted.otp === "false" && (await source.hasLostOtp?.(orgId, userId)) === true;
}

/**
 * True if the user gets the one-time codes of the input: a run that was interrupted, or had no codes, created the user without them. No other
 * account may have changed the user since, and codes that were removed stay removed. Raises what reading events raises.
 */
async function getsCodes(
  { userId, existing, wanted }: { userId: string; existing: LoggedUser | undefined; wanted: UserView },
  { edits, log }: Planning,
): Promise<boolean> {
  if (wanted.otp !== "true" || existing?.isOurs !== true || log.users.hasValue(existing, "otp", "true")) return false;
  return edits.neverHadCodes(userId);
}

const NAMES = ["userName", "email", "hash"] as const;

/** True if the user has a user name, an e-mail address or a hash of these, or if these have none of them. */
function hasNameOf(wanted: UserView, user: LoggedUser, users: UserLog): boolean {
  const given = NAMES.filter((name) => (wanted[name] ?? "") !== "");
  return given.length === 0 || given.some((name) => hasValueOf(name, wanted, user, users));
}

/** True if the user has this phone number, or these first and last names. */
function hasPersonOf(wanted: UserView, user: LoggedUser, users: UserLog): boolean {
  const isSame = (name: ComparedField): boolean => (wanted[name] ?? "") !== "" && hasValueOf(name, wanted, user, users);
  return isSame("phone") || (isSame("firstName") && isSame("lastName"));
}

function hasValueOf(field: ComparedField, wanted: UserView, user: LoggedUser, users: UserLog): boolean {
  const value = wanted[field] ?? "";
  return users.hasValue(user, field, value) || users.hasValue(user, field, value.toLowerCase());
}

async function closedBy(edits: Edits, orgId: string, userId: string): Promise<{ readonly changedBy?: Edit }> {
  const changedBy = await edits.newest(orgId, userId, ["state"]);
  return changedBy === undefined ? {} : { changedBy };
}

/** The plan with a field that no call changes. */
function withField<P extends { readonly notUpdated: readonly ComparedField[] }>(plan: P, field: ComparedField): P {
  return { ...plan, notUpdated: [...new Set([...plan.notUpdated, field])] };
}

/** The plan that gives the user the one-time codes of the input. */
function withCodes<P extends Record<"fields" | "notUpdated", readonly ComparedField[]>>(plan: P): P {
  const notUpdated = plan.notUpdated.filter((field) => field !== "otp");
  return { ...plan, fields: [...plan.fields, "otp"], notUpdated };
}

/** An existing user of an export, and the changes of its metadata. */
interface Absent {
  readonly existing: LoggedUser;
  readonly changes: MetadataChanges;
  readonly orgId: string;
  readonly userId: string;
}

/**
 * The values that an update shall reach. A value that an export lacks is emptied only if the source's log says that the user has none:
 * an export may lack what the source has. `kept` names the others, which stay. Raises what reading events raises.
 */
async function withoutGuesses(
  given: UserView,
  absent: Absent | undefined,
  { log, source }: Planning,
): Promise<{ readonly wanted: UserView; readonly kept: readonly string[]; readonly removed: readonly string[] }> {
  if (absent === undefined) return { wanted: given, kept: [], removed: [] };
  const { existing, changes, orgId, userId } = absent;
  const whole = wholeView(given);
  const emptied = emptiedByExport(given, existing, log.users);
  if (emptied.length + changes.removed.length === 0) return { wanted: whole, kept: [], removed: [] };
  const lacks = await source.lacks?.(orgId, userId);
  const kept = emptied.filter((field) => lacks?.field(field) !== true);
  const wanted = Object.fromEntries(Object.entries(whole).filter(([field]) => !kept.some((name) => name === field)));
  const isRemoved = (key: string): boolean => lacks?.metadata(key) === true;
  const keptKeys = changes.removed.filter((key) => !isRemoved(key));
  return { wanted, kept: lackedByExport(kept, keptKeys), removed: changes.removed.filter(isRemoved) };
}

/** An entry without a display name, whose names changed: a display name that is both names, or one that stood for both, follows them (0.28). */
function withDisplayName(entry: unknown, existing: LoggedUser, users: UserLog): unknown {
  const { firstName = "", lastName = "", displayName, userName = "", email = "" } = viewOfEntry(entry);
  // Of a user without names, the display name was the user name or the address.
  const isSubstitute = [userName, email].some((text) => users.hasValue(existing, "displayName", text));
  const isMadeUp = isSubstitute || users.isShownByOneName(existing) || users.isNamedByNames(existing);
  if (displayName !== undefined || !isMadeUp) return entry;
  const made = `${firstName} ${lastName}`;
  const isSame = users.differences(existing, { firstName, lastName }).length === 0;
  if (isSame || isLongerThan(made, serviceLimits.displayName)) return entry;
  const named = structuredClone(fieldsOf(entry));
  putAt(named, DISPLAY_NAME, made);
  return named;
}

function withoutProfile(view: UserView): UserView {
  return Object.fromEntries(Object.entries(view).filter(([field]) => !profileFields.has(field)));
}

const DISPLAY_NAME = ["user", "profile", "displayName"];

/** The same user with every change as a conflict. So is a password of the former user, if the input has none. */
function protect(planned: PlannedUser, users: UserLog): PlannedUser {
  const { plan, metadata, wanted, user } = planned;
  const isRecreated = plan.left.fence === "recreated" && (wanted.hash ?? "") === "";
  const hash = isRecreated && !users.hasValue(user, "hash", "") ? (["hash"] as const) : [];
  const conflicts = [...new Set([...plan.conflicts, ...plan.fields, ...hash])];
  const keys = [...metadata.set.map(({ key }) => key), ...metadata.removed, ...metadata.conflicts];
  return {
    ...planned,
    plan: { ...plan, fields: [], conflicts },
    metadata: { ...noChanges(), touched: metadata.touched, conflicts: keys },
  };
}

/** True for a user that this job created before it was interrupted: its journal, or the answer of the service, accounts for the user. */
function isOfThisJob({ isThere, isNew, isOurs }: LoggedUser): boolean {
  return isThere && isNew && isOurs;
}

type Found = { readonly [List in keyof MetadataChanges]: MetadataChanges[List][number][] };

function noChanges(): Found {
  return { set: [], removed: [], stale: [], conflicts: [], touched: [] };
}

/** The differing metadata, by the number of their user. */
async function planMetadata(
  { log, isWhole, settings, input }: Planning,
  reader: PlanReader,
): Promise<ReadonlyMap<number, MetadataChanges>> {
  const { scan, signal } = input;
  const changes = new Map<number, Found>();
  const changesOf = (user: number): Found => {
    const known = changes.get(user) ?? noChanges();
    changes.set(user, known);
    return known;
  };
  for await (const items of readSection(input, "userMetadata", signal)) {
    for (const item of items) {
      const { userId, key, value } = userEntry(fieldsOf(JSON.parse(item.bytes.toString())));
      const orgId = scan.orgs[item.org]?.orgId ?? "";
      const user = log.users.find(orgId, userId);
      if (user === undefined) continue;
      const verdict = log.metadata.compare(user.number, key, value);
      if (scan.repeatedIds.has(userId)) continue;
      if (user.isRemovedByOther && settings.prefer !== "source") {
        reader.onMetadata(item.index);
        continue;
      }
      if (!user.isThere || isOfThisJob(user)) {
        // Metadata is deleted with the user; the log shows it only when the id is recreated.
        if (verdict === "stale" || (verdict === "same" && !user.isThere)) reader.onStale({ orgId, userId, key, value });
        continue;
      }
      const found = changesOf(user.number);
      reader.onMetadata(item.index);
      if (verdict === "foreign" && settings.prefer !== "source") found.conflicts.push(key);
      else if (verdict !== "same") found.set.push({ key, value });
      if (verdict === "stale") found.stale.push(key);
    }
  }
  for (const { user, key } of log.metadata.touched()) changesOf(user).touched.push(key);
  // A body without metadata does not mention them.
  const hasMetadata = scan.sections.some(({ key, count }) => key === "userMetadata" && count > 0);
  if (isWhole || hasMetadata) for (const { user, key } of log.metadata.unwanted()) changesOf(user).removed.push(key);
  return changes;
}
