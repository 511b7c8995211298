import type { AdminApi } from "../../../admin/client.ts";
import { listInstanceMembers } from "../../../admin/org-lists.ts";
import type { ServiceEvent } from "../../../contract/events.ts";
import { viewOfEntry } from "../../../core/compare/user-view.ts";
import type { Item } from "../../../core/document/items.ts";
import { ownedLists } from "../../../core/document/org-sections.ts";
import { machineIdOf, ownerOf, userIdOf } from "../../../core/document/user-id.ts";
import {
  GRANT_ADDED,
  grantRemovals,
  LINK_ADDED,
  type Life,
  membershipAdditions,
  membershipRemovals,
} from "../../../core/events/belonging-log.ts";
import { ALL_METADATA_REMOVED, METADATA_REMOVED, METADATA_SET } from "../../../core/events/instance-log.ts";
import { changeOf } from "../../../core/events/user-change.ts";
import {
  creationEvents,
  isAlive,
  isCreation,
  type JobMarks,
  MACHINE_ADDED,
  mayBeRecreated,
  USER_REMOVED,
} from "../../../core/events/user-life.ts";
import { fieldsOf, memberAt, textMember } from "../../../core/json/members.ts";
import { isLater } from "../../../core/rules/moment.ts";
import { IdTable } from "../../../core/tables/id-table.ts";
import { userParts } from "../../../core/transfer/batches.ts";
import type { HeldBackCause } from "../../../ui/summary/left-objects.ts";
import type { Ui } from "../../../ui/ui.ts";
import type { Asking } from "../../shared/asking.ts";
import { freshReading } from "../../shared/fresh.ts";
import { ifOffered, mayBeAnsweredLater } from "../../shared/not-offered.ts";
import { readLog } from "../../shared/read-log.ts";
import {
  type CreatedAt,
  lastLifeEvent,
  openCreatedAt,
  readOrgRemovals,
  readRemovals,
  readSelf,
} from "../../shared/user-life.ts";
import type { Ledger, Settlement } from "../ledger.ts";
import { type Plan, readSection } from "../plan/plan.ts";
import { type Home, Homes } from "./homes.ts";
import { partOf, removedPart, rightOf, signInRemovals, TouchedParts } from "./touched-parts.ts";

/** The mark of a user: whether the user existed before the job, and as what and in which organization the input has the user. */
const EXISTED = 1;
const MACHINE = 2;
const ORG = 4;
const markOf = ({ org, key }: Pick<Item, "org" | "key">, isOfJob: boolean): number =>
  org * ORG + (key === "machineUsers" ? MACHINE : 0) + (isOfJob ? 0 : EXISTED);
const isOfJob = (mark: number | undefined): boolean => mark !== undefined && mark % MACHINE !== EXISTED;

/** The user has the element, gets it with its creation, or must not get it. */
type Unsent = "there" | "with-user" | HeldBackCause;

/** After these, a user has other names than at the creation. */
const RENAMED = ["user.username.changed", "user.human.email.changed"] as const;

interface OwnersContext {
  readonly asking: Asking;
  /** The source of a copy. */
  readonly source: AdminApi | undefined;
  readonly ui: Ui;
  readonly plan: Plan;
  readonly ledger: Ledger;
}

/**
 * Which users existed before the job. Without --update, an import changes no existing user, but the service would take metadata, links
 * and keys of the input. So none are sent for users that other accounts created. For users that the same account created, what is missing is sent,
 * because an earlier run may have been interrupted: no metadata with a key that the user has, and nothing that another account or the user
 * removed. An account that has had neither the user name, the e-mail address nor the password hash of the input may be another person's:
 * nothing at all is sent for it, nor for a user of a copy that the source deleted and created again, nor for an account of another
 * organization than the input's. What another account has set or removed since the job began, of any user, is not sent either, and nothing for
 * a user with a role on the instance who existed before: a link or a key is a way to sign in as the user.
 */
export class Owners {
  readonly #users = new IdTable();
  /** Users of the input that get nothing, and why, if that is said of what belongs to them. */
  readonly #left = new Map<string, HeldBackCause | undefined>();
  /** Users that an update makes the persons of the input before anything else is sent. Empty in a run, which reads the log after that. */
  readonly #takenOver = new Set<string>();
  readonly #context: OwnersContext;
  #log: Promise<ExistingUsers> | undefined;
  readonly #homes: Homes;
  readonly #touched: TouchedParts;
  /** The users with a role on the instance; undefined if the target does not list them. */
  readonly #administrators: () => Promise<ReadonlySet<string> | undefined>;

  private constructor(context: OwnersContext) {
    this.#context = context;
    this.#homes = new Homes(context);
    this.#touched = new TouchedParts(context);
    const { api, retry, signal } = context.asking;
    this.#administrators = freshReading(() =>
      ifOffered(async () => new Set(await listInstanceMembers(api, retry, signal)), mayBeAnsweredLater),
    );
  }

  /** undefined for an input without such elements. Reads the users that an earlier run of the job has settled. */
  static async open(context: OwnersContext): Promise<Owners | undefined> {
    const { plan, ledger, asking } = context;
    if (!plan.scan.sections.some(({ key, count }) => Object.hasOwn(ownedLists, key) && count > 0)) return undefined;
    const owners = new Owners(context);
    const { done, made } = ledger.state;
    if (done.isEmpty) return owners;
    const madeIds = new Set(ledger.state.madeIds);
    for (const section of ["humanUsers", "machineUsers"] as const)
      for await (const portion of readSection(plan, section, asking.signal))
        for (const item of portion) {
          const isOfJob = made.has(item.index) || madeIds.has(userIdOf(item.bytes));
          if (done.has(item.index)) owners.#note(item, isOfJob);
        }
    return owners;
  }

  /** The users among these items are about to be sent. */
  sending(items: readonly Item[]): void {
    for (const item of items) this.#note(item, true);
  }

  /** An update keeps this user of the input, as the same person. */
  kept(item: Item): void {
    this.#note(item, false);
  }

  /** Nothing is given to the user of the target with this id. @param why undefined: what belongs to the user fails as the user does. */
  leaves(userId: string, why?: HeldBackCause): void {
    this.#left.set(userId, why);
  }

  /** An update will give this user a user name, an e-mail address or a password hash of the input. */
  takesOver(userId: string): void {
    this.#takenOver.add(userId);
  }

  /** Why an update does not send an element: because of its user. */
  whyLeft(item: Item): HeldBackCause | undefined {
    return this.#left.get(ownerOf(item));
  }

  /** A call failed: until it is repeated, others may have written. */
  failed(): void {
    this.#touched.outdate();
  }

  /**
   * Some of the users turn out to exist, and not to be of this job, or nothing tells whose they are; others were refused, also because
   * another account was faster.
   */
  settled({ items, result, whose }: Settlement): void {
    const existing = result.existing.filter((one) => whose(one) !== "ours");
    const theirs = new Set([...existing, ...result.failures].map(({ item }) => item));
    if (theirs.size > 0) for (const item of items) if (theirs.has(item.index)) this.#note(item, false);
  }

  /** Those of the items that would change a user who existed before the job. Raises what reading events raises. */
  async changesOfOthers(items: readonly Item[]): Promise<ReadonlyMap<Item, Unsent>> {
    const found = new Map<Item, Unsent>();
    for (const item of items) {
      const isPart = userParts.has(item.key);
      const unsent = isPart ? await this.#wouldChange(item) : await this.#whyNoRight(item);
      if (unsent !== undefined) found.set(item, unsent);
    }
    return found;
  }

  /**
   * Why nothing is sent that belongs to the user of an element: an update leaves the user, or the id is another person's on the target, or a
   * user's of another organization or of the other kind, who fails. Raises what reading events raises.
   */
  async whyNot(item: Item): Promise<"other-person" | "consequence" | undefined> {
    const owner = ownerOf(item);
    const mark = this.#users.get(owner);
    if (this.#left.has(owner)) return "consequence";
    if (owner === "" || isOfJob(mark)) return undefined;
    const log = await this.#readLog();
    if (log.isOtherPerson(owner)) return "other-person";
    if (mark === undefined) return undefined;
    const home = log.homeOf(owner) ?? (await this.#homes.of(owner));
    if (home === undefined) return undefined;
    const isMachine = mark % ORG >= MACHINE;
    return home.orgId === this.#orgOf(mark) && home.isMachine === isMachine ? undefined : "consequence";
  }

  /** True if this job sends the user of an element as a new one. */
  isOfNewUser(item: Item): boolean {
    return isOfJob(this.#users.get(ownerOf(item)));
  }

  /** True if neither the input nor the target has the user of an element: the service refuses it (service behaviour 9.36). */
  async lacksUser(item: Item): Promise<boolean> {
    const owner = ownerOf(item);
    if (owner === "" || this.#users.get(owner) !== undefined || this.#left.has(owner)) return false;
    return (await this.#isOurUser(owner)) === undefined;
  }

  /**
   * True if a user in this life may be given what the input has: the life began before the job, or an account of the job created the user
   * in the organization of the input.
   */
  isKnownLife(userId: string, life: Life, known: JobMarks): boolean {
    const mark = this.#users.get(userId);
    const isEarlier = known.mark !== undefined && !isLater(life.at, known.mark);
    return isEarlier || (mark !== undefined && known.accounts.has(life.by) && this.#orgOf(mark) === life.orgId);
  }

  /**
   * Tells the users whose missing metadata may be set after everything was sent: those of this job, and without `isUpdate`, which has compared
   * the existing users, those that the same account created. Raises what reading events raises.
   */
  async mayComplete(isUpdate: boolean): Promise<(userId: string) => boolean> {
    // An update after --restart does not compare those that the discarded run created.
    const isCompared = isUpdate && !this.#context.ledger.state.isRestarted;
    const log = isCompared ? undefined : await this.#readLog();
    const administrators = isCompared ? undefined : await this.#administrators();
    const isOurs = (userId: string): boolean =>
      log?.isOurs(userId) === true && !log.isOtherPerson(userId) && administrators?.has(userId) !== true;
    return (userId) => isOfJob(this.#users.get(userId)) || isOurs(userId);
  }

  #note(item: Item, isOfJob: boolean): void {
    const id = item.key === "humanUsers" ? userIdOf(item.bytes) : "";
    const any = item.key === "machineUsers" ? machineIdOf(item.bytes) : id;
    if (any !== "") this.#users.set(any, markOf(item, isOfJob));
  }

  #orgOf(mark: number): string | undefined {
    return this.#context.plan.scan.orgs[Math.floor(mark / ORG)]?.orgId;
  }

  async #wouldChange(item: Item): Promise<Unsent | undefined> {
    const { key } = item;
    const [owner, part] = [ownerOf(item), this.#partOf(item)];
    if (owner === "") return undefined;
    const isMade = isOfJob(this.#users.get(owner));
    if (isMade && item.isWithinUser) return "with-user";
    if (await this.#touched.has(owner, part)) return this.#whyTouched(owner, part);
    if (isMade) return undefined;
    // A key is a way to sign in: only service users of the input get one.
    if (key === "machineKeys" && !(await this.#readLog()).isMachineOfInput(owner)) return "no-service-user";
    const isMetadata = key === "userMetadata";
    if ((await this.#administrators())?.has(owner) ?? !isMetadata) return "administrator";
    const isOurs = await this.#isOurUser(owner);
    if (isOurs === undefined) return item.isWithinUser ? "with-user" : undefined;
    if (!isOurs) return "other-account";
    const log = await this.#readLog();
    return isMetadata ? log.unsentMetadata(owner, part) : log.isTakenAway(owner, part) ? "taken-away" : undefined;
  }

  /** What happened just before the job began counts as touched too. */
  async #whyTouched(owner: string, part: string): Promise<HeldBackCause> {
    return (await this.#readLog()).isTakenAway(owner, part) ? "taken-away" : "changed-in-run";
  }

  #partOf({ key, bytes, org }: Item): string {
    return partOf(key, fieldsOf(JSON.parse(bytes.toString())), this.#context.plan.scan.orgs[org]?.orgId ?? "");
  }

  /**
   * Why a grant or membership is not sent: another account has removed it, from a user who existed before at any time, or the user existed
   * before and has a role on the instance, or another account created the user, and this job does not send the user, or has put the user in the
   * place of one of this account: it is unknown whether it is the same person.
   */
  async #whyNoRight(item: Item): Promise<HeldBackCause | undefined> {
    const owner = ownerOf(item);
    const mark = this.#users.get(owner);
    if (owner === "") return undefined;
    if (await this.#touched.has(owner, this.#partOf(item))) return this.#whyTouched(owner, this.#partOf(item));
    if (isOfJob(mark)) return undefined;
    if ((await this.#administrators())?.has(owner) === true) return "administrator";
    if (mark === undefined && (await this.#isOurUser(owner)) === false) return "other-account";
    const log = await this.#readLog();
    if (log.isReplaced(owner)) return "other-account";
    return log.isTakenAway(owner, this.#partOf(item)) ? "taken-away" : undefined;
  }

  /** undefined: no such user. */
  async #isOurUser(userId: string): Promise<boolean | undefined> {
    const log = await this.#readLog();
    return log.isOurs(userId) ?? (await this.#isOurs(userId, log.self));
  }

  #readLog(): Promise<ExistingUsers> {
    this.#log ??= this.#readOnce();
    return this.#log;
  }

  /** Organization by organization, or all in one order where a user had several lives: what is of the last one, only the order says. */
  async #readUsers(inOrder = false): Promise<ExistingUsers> {
    const { asking, ui, plan } = this.#context;
    const orgIds = plan.scan.orgs.map(({ orgId }) => orgId);
    const users = new ExistingUsers((await readSelf(asking)) ?? "", orgIds);
    const reading = { ...asking, ui };
    const title = "reading events of existing users";
    const removals = await readOrgRemovals(orgIds, asking);
    // Their removals do not name the users of grants.
    await readLog(title, { eventTypes: grantRemovals, orgIds }, reading, (event) => users.noteRemovedGrant(event));
    const eventTypes = [
      ...creationEvents,
      USER_REMOVED,
      METADATA_SET,
      METADATA_REMOVED,
      ALL_METADATA_REMOVED,
      LINK_ADDED,
      ...signInRemovals,
      ...membershipAdditions,
      ...membershipRemovals,
      ...(users.removedGrants.size > 0 ? [GRANT_ADDED] : []),
      ...RENAMED,
    ];
    await readLog(title, { eventTypes, orgIds, inOrder }, reading, (event) => {
      if (removals.after(event) === undefined) users.take(event);
    });
    return users.needsOrder && !inOrder ? this.#readUsers(true) : users;
  }

  async #readOnce(): Promise<ExistingUsers> {
    const { asking, plan } = this.#context;
    const users = await this.#readUsers();
    for await (const portion of readSection(plan, "machineUsers", asking.signal))
      for (const { bytes } of portion) {
        const id = machineIdOf(bytes);
        users.machines.add(id);
        if (users.isOurs(id) === undefined || isOfJob(this.#users.get(id))) continue;
        const { userName, name } = namesOfMachine(memberAt(JSON.parse(bytes.toString()), ["user"]));
        // The source may have changed one of the two since the same account created the machine user.
        users.compare(id, users.isOurs(id) === true ? [userName, name] : [userName]);
      }
    const removed = await this.#removedAtSource();
    for await (const portion of readSection(plan, "humanUsers", asking.signal)) {
      for (const { bytes } of portion) {
        const id = userIdOf(bytes);
        if (users.isOurs(id) === undefined || isOfJob(this.#users.get(id))) continue;
        const { userName, email, hash } = viewOfEntry(JSON.parse(bytes.toString()));
        if (!this.#takenOver.has(id)) users.compare(id, [userName, email, hash]);
        const wasRemoved = removed?.ids.has(id) === true;
        if (wasRemoved && mayBeRecreated(await removed.atSource(id), await removed.onTarget(id))) users.noteOther(id);
      }
    }
    return users;
  }

  /** Users that the source of a copy has removed; it may have some again. undefined for a file, and if the source offers no events. */
  async #removedAtSource(): Promise<RemovedAtSource | undefined> {
    const { asking: target, ui, plan, source } = this.#context;
    if (source === undefined) return undefined;
    const { orgs, counts } = plan.scan;
    const reading = { ...target, api: source, ui };
    const orgIds = orgs.map(({ orgId, sourceId = orgId }) => sourceId);
    return ifOffered(async () => {
      const ids = new Set<string>();
      await readRemovals(reading, ({ aggregate: { id } }) => ids.add(id));
      const atSource = openCreatedAt(ids, { orgIds, users: counts.users }, reading);
      const there = { orgIds: orgs.map(({ orgId }) => orgId), users: counts.users };
      return { ids, atSource, onTarget: openCreatedAt(ids, there, { ...target, ui }) };
    });
  }

  /** A user of another organization; undefined: no such user. */
  async #isOurs(userId: string, self: string): Promise<boolean | undefined> {
    const last = await lastLifeEvent(userId, this.#context.asking);
    return isAlive(last) ? self !== "" && last.editor?.userId === self : undefined;
  }
}

/** Users that the source of a copy has removed, and when those who have their ids now were created. */
interface RemovedAtSource {
  readonly ids: ReadonlySet<string>;
  readonly atSource: CreatedAt;
  readonly onTarget: CreatedAt;
}

/** Marks of the users of a log: who created the user that exists, and how often the id was created. */
const IS_THERE = 1;
const IS_OURS = 2;
/** All metadata of the user were removed. orgferry does not do that. */
const IS_CLEARED = 4;
/** The user of the input is another person. */
const IS_OTHER = 8;
/** Another account deleted the user that this one had created; users that others created since get nothing of the former one. */
const IS_TAKEN = 16;
const GENERATION = 32;

/** Marks of the keys of a user's metadata, links, keys and names. */
const HAS = 1;
const TAKEN_AWAY = 2;

/** The users of an event log: who created them, and which keys of metadata are not to be set. */
class ExistingUsers {
  readonly self: string;
  /** The machine users of the input. */
  readonly machines = new Set<string>();
  /** The ids of grants that other accounts removed. */
  readonly removedGrants = new Set<string>();
  /** A user was created or removed in another one of the organizations than before, or lost a right in one that was read before its own. */
  needsOrder = false;
  readonly #users = new IdTable();
  /** HAS: the user has the metadata, or has had the name. TAKEN_AWAY: another account removed the metadata, link, key, grant or membership. */
  readonly #keys = new IdTable();
  readonly #orgIds: readonly string[];
  /** The place of the organization in which a user was created last, and a bit for a machine user. */
  readonly #homes = new IdTable();

  /** @param self the account of the run; "": unknown. */
  constructor(self: string, orgIds: readonly string[]) {
    this.self = self;
    this.#orgIds = orgIds;
  }

  /** undefined for a user who does not exist in these organizations. */
  homeOf(userId: string): Home | undefined {
    const mark = this.#homes.get(userId);
    const orgId = mark === undefined ? undefined : this.#orgIds[mark >>> 1];
    if (mark === undefined || orgId === undefined || this.isOurs(userId) === undefined) return undefined;
    return { orgId, isMachine: mark % 2 === 1 };
  }

  /** True for a machine user of the input that is one on the target, too, or is not there. */
  isMachineOfInput(userId: string): boolean {
    return this.machines.has(userId) && this.homeOf(userId)?.isMachine !== false;
  }

  /** undefined for a user who does not exist, or is not in the log. */
  isOurs(userId: string): boolean | undefined {
    const mark = this.#users.get(userId) ?? 0;
    return (mark & IS_THERE) === 0 ? undefined : (mark & IS_OURS) !== 0;
  }

  /** "there": the user has the key; "taken-away": another account removed it. A run that sets a key again removes it first. */
  unsentMetadata(userId: string, key: string): Unsent | undefined {
    const isCleared = ((this.#users.get(userId) ?? 0) & IS_CLEARED) !== 0;
    if (isCleared || this.isTakenAway(userId, key)) return "taken-away";
    return this.#keys.get(this.#keyOf(userId, key)) === HAS ? "there" : undefined;
  }

  /** True if another account, or the user, removed the metadata, the link, the key, the grant or the membership. */
  isTakenAway(userId: string, part: string): boolean {
    return this.#keys.get(this.#keyOf(userId, part)) === TAKEN_AWAY;
  }

  /** True for a user that another account has put in the place of one that this account created. */
  isReplaced(userId: string): boolean {
    const mark = this.#users.get(userId) ?? 0;
    return (mark & IS_THERE) !== 0 && (mark & IS_TAKEN) !== 0;
  }

  isOtherPerson(userId: string): boolean {
    return ((this.#users.get(userId) ?? 0) & IS_OTHER) !== 0;
  }

  /** Compares a user of the input, by user name, e-mail address and password hash. Without one of them on both sides it is the same person. */
  compare(userId: string, names: readonly (string | undefined)[]): void {
    const given = names.filter((name) => name !== undefined && name !== "") as string[];
    const isKnown = (key: string): boolean => this.#keys.get(this.#keyOf(userId, key)) === HAS;
    if (given.length === 0 || !isKnown(nameKey("")) || given.some((name) => isKnown(nameKey(name)))) return;
    this.noteOther(userId);
  }

  /** The user of the input may be another person. */
  noteOther(userId: string): void {
    this.#users.set(userId, (this.#users.get(userId) ?? 0) | IS_OTHER);
  }

  /** To be called before `take`, with the removals of grants. */
  noteRemovedGrant(event: ServiceEvent): void {
    if (!this.#isBySelf(event)) this.removedGrants.add(event.aggregate.id);
  }

  #isBySelf({ editor }: ServiceEvent): boolean {
    return this.self !== "" && editor?.userId === this.self;
  }

  take(event: ServiceEvent): void {
    const { id } = event.aggregate;
    const { type } = event.type;
    const mark = this.#users.get(id) ?? 0;
    const generation = mark & ~(GENERATION - 1);
    const isOurs = this.#isBySelf(event);
    const place = this.#orgIds.indexOf(event.aggregate.resourceOwner);
    if (isCreation(event) || type === USER_REMOVED) {
      const former = this.#homes.get(id);
      this.needsOrder ||= former !== undefined && former >>> 1 !== place;
    }
    if (rightEvents.has(type)) this.#takeRight(event, isOurs);
    else if (isCreation(event)) {
      this.#users.set(id, (generation + GENERATION) | IS_THERE | (isOurs ? IS_OURS : mark & IS_TAKEN));
      this.#homes.set(id, place * 2 + (type === MACHINE_ADDED ? 1 : 0));
      this.#noteNames(id, event);
    } else if (isRenaming(type)) this.#noteNames(id, event);
    else if (type === USER_REMOVED)
      this.#users.set(id, generation | (!isOurs && (mark & IS_OURS) !== 0 ? IS_TAKEN : mark & IS_TAKEN));
    else if (type === ALL_METADATA_REMOVED) this.#users.set(id, mark | IS_CLEARED);
    else if (type === METADATA_SET) this.#keys.set(this.#keyOf(id, removedPart(event)), HAS);
    else if (type === LINK_ADDED) this.#giveBack(this.#keyOf(id, removedPart(event)));
    else if (!isOurs) this.#keys.set(this.#keyOf(id, removedPart(event)), TAKEN_AWAY);
    else if (type === METADATA_REMOVED) this.#keys.set(this.#keyOf(id, removedPart(event)), 0);
  }

  /** A grant or membership that is given or removed. */
  #takeRight(event: ServiceEvent, isOurs: boolean): void {
    const { userId, part } = rightOf(event);
    const key = this.#keyOf(userId, part);
    const isRemoval = membershipRemovals.includes(event.type.type);
    if (isRemoval ? !isOurs : this.removedGrants.has(event.aggregate.id)) {
      this.#keys.set(key, TAKEN_AWAY);
      // The user is of an organization whose log is read later: a creation there would begin another life.
      this.needsOrder ||= this.#users.get(userId) === undefined;
    } else this.#giveBack(key);
  }

  #giveBack(key: string): void {
    if (this.#keys.get(key) !== undefined) this.#keys.set(key, 0);
  }

  #noteNames(id: string, { type, payload }: ServiceEvent): void {
    if (type.type === MACHINE_ADDED) this.#keepNames(id, Object.values(namesOfMachine(payload)));
    const change = changeOf(type.type, payload);
    if (change?.kind !== "added" && change?.kind !== "changed") return;
    const { userName, email, hash } = change.view;
    this.#keepNames(id, [userName, email, hash]);
  }

  #keepNames(id: string, given: readonly (string | undefined)[]): void {
    const names = given.filter((name) => name !== undefined && name !== "");
    // "": some name is known.
    for (const name of names.length === 0 ? [] : ["", ...names]) this.#keys.set(this.#keyOf(id, nameKey(name)), HAS);
  }

  /** A new user of the same id has none of the keys of the former one. */
  #keyOf(userId: string, key: string): string {
    return `${userId}\n${Math.floor((this.#users.get(userId) ?? 0) / GENERATION)}\n${key}`;
  }
}

/** The user name of a machine user, and its name with a sign that no user name has. */
function namesOfMachine(user: unknown): { readonly userName: string; readonly name: string } {
  const fields = fieldsOf(user);
  const name = textMember(fields, "name");
  return { userName: textMember(fields, "userName"), name: name && `\u0000${name}` };
}

const rightEvents: ReadonlySet<string> = new Set([GRANT_ADDED, ...membershipAdditions, ...membershipRemovals]);

function isRenaming(type: string): boolean {
  return (RENAMED as readonly string[]).includes(type);
}

/** A user name, an e-mail address or a password hash beside the keys of metadata. */
function nameKey(name = ""): string {
  return `\u0000name\n${name.trim().toLowerCase()}`;
}
