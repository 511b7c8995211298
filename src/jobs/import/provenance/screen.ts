import { newestEvent } from "../../../admin/events.ts";
import { withRetry } from "../../../admin/with-retry.ts";
import type { ServiceEvent } from "../../../contract/events.ts";
import { camelKey } from "../../../contract/import-request.ts";
import { capabilitiesOf, mayRecreate } from "../../../contract/versions.ts";
import type { Item } from "../../../core/document/items.ts";
import { policyKinds } from "../../../core/document/listed-org.ts";
import { comparedId, HEAD, isHeadSetting } from "../../../core/document/org-sections.ts";
import { isFirstOf } from "../../../core/document/scan-types.ts";
import { machineIdOf, ownerOf, userIdOf } from "../../../core/document/user-id.ts";
import { formerLists } from "../../../core/events/belonging-log.ts";
import { isAlive, MACHINE_ADDED, ORG_REMOVED } from "../../../core/events/user-life.ts";
import { fieldsOf } from "../../../core/json/members.ts";
import {
  type BatchResult,
  type Counts,
  countOne,
  type Existing,
  type Failure,
  NO_RESULT,
} from "../../../core/transfer/answer/batch-result.ts";
import { elementTypes, ownerIn, typeOfSection } from "../../../core/transfer/answer/element-types.ts";
import { type Batch, toBatch } from "../../../core/transfer/batches.ts";
import { policyEvent } from "../../../core/transfer/object-removals.ts";
import { laterState } from "../../../core/transfer/users-request.ts";
import { shown } from "../../../problem/format.ts";
import type { LogReading } from "../../shared/read-log.ts";
import { isRemoved, lastLifeEvent, lastLifeEvents, readSelf } from "../../shared/user-life.ts";
import { type Ledger, runsOf, type Settlement, type Take } from "../ledger.ts";
import { findBuiltIn } from "../plan/built-in.ts";
import { type ForeignObjects, findForeign } from "../plan/foreign-objects.ts";
import { type Plan, readSection } from "../plan/plan.ts";
import { type GrantAgain, RemovedObjects } from "../plan/removed-objects.ts";
import type { TargetState } from "../plan/target-state.ts";
import { HeldBackElements } from "./held-back.ts";
import type { Owners } from "./owners.ts";
import type { Replaced } from "./replaced.ts";

/** What a screen is made from; `target` is undefined if the target's events cannot be read. */
interface Screened {
  readonly asking: LogReading;
  readonly plan: Plan;
  readonly target: TargetState | undefined;
  readonly ledger: Ledger;
  readonly replaced: Replaced;
  /** Users of the input that the source has deleted: neither they nor what belongs to them is created. */
  readonly deletedUsers?: ReadonlySet<string>;
  /** Machine users that other accounts deleted on the target are not created again. */
  readonly leavesRemoved: boolean;
  /** undefined: an input without parts of users, or a target without events. */
  readonly owners?: Owners | undefined;
}

/** Closes the removed organizations, and finds the built-in objects of the target and those of other organizations. */
export async function openScreen(screened: Screened): Promise<Screen> {
  const { asking, plan, target, ledger } = screened;
  if (target === undefined) return new Screen(screened, new Map());
  // Users of a removed organization are found by no search (service behaviour 0.11), so they are not sent.
  for (const [index, { orgId: id }] of plan.scan.orgs.entries()) {
    if (target.orgs.get(id)?.isRemoved !== true) continue;
    ledger.closeOrg(index, { type: "org", id, message: "", cause: "org-removed" });
  }
  ledger.builtIn = await findBuiltIn(target, plan, asking.signal);
  return new Screen(screened, await findForeign(target, plan, asking));
}

/** Keeps items from being sent that the service would refuse, or would take to the wrong place. */
export class Screen {
  readonly heldBack = new HeldBackElements();
  /** By the indexes of their items. */
  readonly #grantsAgain = new Map<number, GrantAgain>();
  /** Which settings of an organization an update has found on the target (`ComparedObjects`). */
  isThere: ((orgId: string, section: string, id: string) => boolean) | undefined;
  readonly #screened: Screened;
  /** Indexes of users who were removed, and are sent to be recreated. */
  readonly #comingBack = new Set<number>();
  #self: Promise<string | undefined> | undefined;
  #removed: Promise<ReadonlyMap<string, ServiceEvent>> | undefined;

  readonly #foreign: ForeignObjects;
  /** undefined for a target without events. */
  readonly #removals: RemovedObjects | undefined;

  constructor(screened: Screened, foreign: ForeignObjects) {
    const { asking, plan, target, ledger } = screened;
    this.#screened = screened;
    this.#foreign = foreign;
    this.#removals = target && new RemovedObjects(asking, plan, ledger.state.job?.by ?? []);
  }

  /**
   * Settles the items of a batch that must not be sent. Items of a refused or removed organization fail with its cause. A user fails who
   * was removed, if the service would not create the user again in the organization of the input (9.9), and a user whose id
   * belongs to another user that the service would overwrite (0.43). A project or an action fails whose id belongs to another organization,
   * with what refers to it (9.33). What belongs to a user of this job that was replaced fails. Built-in objects exist. What would
   * change an existing user is held back, and what another account has removed, also from heads. Returns the rest; undefined for none.
   */
  async screen(batch: Batch, take: Take): Promise<Batch | undefined> {
    const { ledger, replaced } = this.#screened;
    await replaced.failOwnersOf(batch.items);
    const unfit = await this.#findUnfit(batch.items);
    const isOpen = ({ index }: Item): boolean => !ledger.state.done.has(index);
    const whyNot = (item: Item): Failure | undefined => unfit.get(item) ?? ledger.whyClosed(item);
    const { owners } = this.#screened;
    const { references } = this.#screened.plan.scan;
    for (const items of runsOf(batch.items, (item) => isOpen(item) && references?.repeats(item) === true)) {
      const others = new Map<string, Counts>();
      for (const item of items) countOne(others, this.#placeOf(item).type, "leftOut");
      take(settlementOf(items, { ...NO_RESULT, others }));
    }
    // Its user says why, and without events it is unknown which users exist.
    for (const item of batch.items) {
      const cause = item.isWithinUser ? whyNot(item)?.cause : undefined;
      const isSaid = cause !== undefined && cause !== "other-person";
      if (item.isWithinUser && (owners === undefined || isSaid)) ledger.leave(item.index);
    }
    for (const items of runsOf(batch.items, (item) => isOpen(item) && whyNot(item) !== undefined)) {
      take(settlementOf(items, this.#failing(items, whyNot)));
    }
    for (const items of runsOf(batch.items, (item) => isOpen(item) && ledger.builtIn.has(item.index))) {
      const existing = items.map((item) => ({ ...this.#placeOf(item), message: "" }));
      take(settlementOf(items, { ...NO_RESULT, existing }));
    }
    const unsent = new Map(await owners?.changesOfOthers(batch.items.filter(isOpen)));
    const noRole = new Map<Item, Failure>();
    for (const item of batch.items) {
      const why = isOpen(item) && !unsent.has(item) ? await this.whyRemoved(item) : undefined;
      if (why === "object-removed") unsent.set(item, why);
      if (why === "role-missing") noRole.set(item, { type: "", id: "", message: "", cause: why });
    }
    for (const items of runsOf(batch.items, (item) => noRole.has(item)))
      take(
        settlementOf(
          items,
          this.#failing(items, (item) => noRole.get(item)),
        ),
      );
    for (const [item, why] of unsent) if (why === "with-user") ledger.leave(item.index);
    for (const items of runsOf(batch.items, (item) => isOpen(item) && unsent.has(item))) {
      const others = new Map<string, Counts>();
      for (const item of items) {
        const why = unsent.get(item) ?? "there";
        if (why !== "there" && why !== "with-user") this.heldBack.add(item, this.#orgIdOf(item.org), why);
        countOne(others, this.#placeOf(item).type, why === "there" ? "alreadyThere" : "heldBack");
      }
      take(settlementOf(items, { ...NO_RESULT, others }));
    }
    const left: Item[] = [];
    for (const item of batch.items) {
      const again = isOpen(item) ? await this.#removals?.grantedAgain(item) : undefined;
      if (again !== undefined) this.#grantsAgain.set(item.index, again);
    }
    for (const item of batch.items)
      if (isOpen(item)) left.push(item.key === HEAD ? this.#missingOf(await this.leftOf(item)) : item);
    owners?.sending(left);
    replaced.sending(left);
    if (left.length === batch.items.length && left.every((item, at) => item === batch.items[at])) return batch;
    return left.length === 0 ? undefined : toBatch(left, batch.buffers);
  }

  /** The project grants that were sent although another account had removed one of the same project and organization, and did not fail. */
  get grantsAgain(): readonly GrantAgain[] {
    const failed = new Set(this.#screened.ledger.state.failures.map(({ item }) => item));
    return [...this.#grantsAgain].flatMap(([index, grant]) => (failed.has(index) ? [] : [grant]));
  }

  /**
   * Why an item must not be sent: its object, or something that it needs, was removed, so that it is held back; or a role of a grant, so that it
   * fails. Raises what reading events raises.
   */
  async whyRemoved(item: Item): Promise<"object-removed" | "role-missing" | undefined> {
    if ((await this.#removals?.has(item)) === true) return "object-removed";
    return (await this.#removals?.removedRoles(item))?.length ? "role-missing" : undefined;
  }

  /** A head without what another account has removed, which is named as held back. Raises what reading events raises. */
  async leftOf(head: Item): Promise<Item> {
    const left = await this.#removals?.headOf(head);
    if (left === undefined) return head;
    const { ledger } = this.#screened;
    for (const part of left.removed)
      if (this.heldBack.addPart(part, this.#orgIdOf(head.org))) ledger.holdBack(typeOfSection(part.type) ?? part.type);
    return { ...head, bytes: left.bytes };
  }

  /** A head without the settings that an update leaves as they are: the service would replace texts. */
  #missingOf(head: Item): Item {
    const { isThere } = this;
    if (isThere === undefined) return head;
    const orgId = this.#orgIdOf(head.org);
    const all = Object.entries(fieldsOf(JSON.parse(`{${head.bytes.toString()}}`)));
    const left = all.filter(([name]) => !isHeadSetting(name) || !isThere(orgId, camelKey(name), ""));
    if (left.length === all.length) return head;
    return { ...head, bytes: Buffer.from(JSON.stringify(Object.fromEntries(left)).slice(1, -1)) };
  }

  /** Settles as failed the inactive and locked users that the import endpoint of the target would create as active. Returns the others. */
  failClosed(items: readonly Item[], { version }: Pick<Plan, "version">, take: Take): readonly Item[] {
    if (capabilitiesOf(version).importStates) return items;
    const isClosed = ({ way, bytes }: Item): boolean =>
      way === "users" && laterState(JSON.parse(bytes.toString())) !== undefined;
    const closed = new Set(items.filter(isClosed));
    const why = (item: Item): Failure => ({ ...this.#placeOf(item), message: "", cause: "state-lost" });
    for (const run of runsOf(items, (item) => closed.has(item))) take(settlementOf(run, this.#failing(run, why)));
    return closed.size === 0 ? items : items.filter((item) => !closed.has(item));
  }

  /**
   * Fails what the service reports as existing and does not have: users of version 2.x who should be recreated, and objects of an organization
   * that was removed and exists again. Raises net.*, auth.refused.
   */
  async failRemoved<T extends BatchResult>(result: T, items: readonly Item[]): Promise<T> {
    const sent = new Map(items.map((item) => [item.index, item]));
    const others: Map<string, Counts> = new Map(result.others);
    const existing: Existing[] = [];
    const failures: Failure[] = [...result.failures];
    for (const one of result.existing) {
      const { type, item: index, id } = one;
      const item = index === undefined ? undefined : sent.get(index);
      const former = item === undefined ? this.#formerOrgOfSetting(one) : this.#formerOrgOf(item, type);
      const cause = former === undefined ? undefined : await this.#whyFormer(former, type, item);
      if (former !== undefined && cause !== undefined) {
        countOne(others, type, "failed");
        failures.push({ ...one, message: `organization ${shown(former)}`, cause });
      } else if (type === "human_user" && index !== undefined && (await this.isStillRemoved(index, id)))
        failures.push({ ...one, cause: "user-removed" });
      else existing.push(one);
    }
    return { ...result, existing, failures, others };
  }

  /** The same of a setting, of which the service names the organization alone. */
  #formerOrgOfSetting({ type, id: orgId }: Existing): string | undefined {
    const section = camelKey(type);
    const { target } = this.#screened;
    if (this.isThere === undefined || target?.orgRemovals.has(orgId) !== true || !isHeadSetting(section))
      return undefined;
    return section === "org" || this.isThere(orgId, section, "") ? undefined : orgId;
  }

  /** The organization of an object that went with it, although the service takes the object for existing (service behaviour 9.48). */
  #formerOrgOf({ key, bytes, org, index }: Item, type: string): string | undefined {
    const { target, ledger } = this.#screened;
    // A call without an answer may have created it since the comparison.
    if (ledger.state.lost.has(index)) return undefined;
    const orgId = this.#orgIdOf(org);
    if (this.isThere === undefined || target?.orgRemovals.has(orgId) !== true || type === "human_user")
      return undefined;
    const members = key === HEAD ? Object.keys(fieldsOf(JSON.parse(`{${bytes.toString()}}`))).map(camelKey) : [key];
    const section = members.find((name) => typeOfSection(name) === type);
    const id = section === key ? comparedId(key, JSON.parse(bytes.toString())) : "";
    return section === undefined || id === undefined || this.isThere(orgId, section, id) ? undefined : orgId;
  }

  /**
   * Why an object of a removed organization fails; undefined for what was set or given since the removal: it exists, although the comparison has
   * not found it. So do grants and memberships of a user who was created since, also if those of the former life are in the way: the run gives
   * them at its end (`heal/former-belongings.ts`). Raises what reading events raises.
   */
  async #whyFormer(
    orgId: string,
    type: string,
    item: Item | undefined,
  ): Promise<"removed-with-org" | "kept-from-removed-org" | undefined> {
    const { asking, target, owners } = this.#screened;
    const isSince = (event: ServiceEvent | undefined): boolean =>
      event !== undefined && target?.orgRemovals.after(event, orgId) === undefined;
    const policy = policyKinds.find(({ member: name }) => typeOfSection(name) === type);
    if (policy !== undefined) {
      const request = { aggregate_types: ["org"], aggregate_id: orgId, event_types: [policyEvent(policy, "added")] };
      const { api, retry, signal } = asking;
      const added = await withRetry(() => newestEvent(api, signal, request), retry, signal);
      return isSince(added) ? undefined : "kept-from-removed-org";
    }
    if (item === undefined || !formerLists.some((list) => list === item.key)) return "removed-with-org";
    if (owners?.isOfNewUser(item) === true) return undefined;
    const last = await lastLifeEvent(ownerOf(item), asking);
    if (isAlive(last) && isSince(last)) return undefined;
    // Without an id that the input could change.
    return item.key === "orgMembers" ? "kept-from-removed-org" : "removed-with-org";
  }

  /**
   * True for a user who should be recreated and was not, although the service says that the id exists. The id may be in the input twice, or
   * a lost call may have created the user.
   */
  async isStillRemoved(index: number, userId: string): Promise<boolean> {
    return this.#comingBack.has(index) && (await isRemoved(userId, this.#screened.asking));
  }

  #failing(items: readonly Item[], whyNot: (item: Item) => Failure | undefined): BatchResult {
    const others = new Map<string, Counts>();
    const { orgs } = this.#screened.plan.scan;
    // An organization may stand in the input several times, and counts once.
    const isCounted = ({ key, org }: Item): boolean => key !== HEAD || isFirstOf(orgs, org);
    const failures = items.filter(isCounted).map((item): Failure => {
      const { message, cause } = whyNot(item) as Failure; // these items have one
      const place = this.#placeOf(item);
      if (place.type !== "human_user") countOne(others, place.type, "failed");
      return { ...place, ...ownerIn(place.type, item.bytes), message, cause };
    });
    return { ...NO_RESULT, failures, others };
  }

  /** How the service names an item, and its place in the input. */
  #placeOf({ key, bytes, org, index: item, line }: Item): Omit<Existing, "message"> {
    const orgId = this.#orgIdOf(org);
    if (key === HEAD) return { type: "org", id: orgId, item, line };
    if (key === "humanUsers") return { type: "human_user", id: userIdOf(bytes), item, line };
    const type = elementTypes[key];
    if (type === undefined) return { type: key, id: "", item, line };
    const id = type.errorId(type.keyOf(fieldsOf(JSON.parse(bytes.toString()))), orgId);
    return { type: type.type, id, item, line };
  }

  #orgIdOf(org: number): string {
    return this.#screened.plan.scan.orgs[org]?.orgId ?? "";
  }

  /**
   * Users that must not be sent as they are: removed with an organization, or on a version that does not recreate them in this one, or with the id of a user of the other
   * kind, or, for a machine user, of another organization, or removed by another account before an update. What belongs to
   * a user whose id is another person's on the target is not sent either, nor what belongs to a user of this job that was replaced.
   */
  async #findUnfit(items: readonly Item[]): Promise<ReadonlyMap<Item, Failure>> {
    const { asking, plan, target, ledger, owners, replaced, leavesRemoved, deletedUsers } = this.#screened;
    const unfit = new Map<Item, Failure>();
    for (const item of items)
      if (!ledger.state.done.has(item.index) && isOfTaken(item, ledger, plan))
        unfit.set(item, { type: "", id: "", message: "", cause: "consequence" });
    for (const item of items) {
      const cause = ledger.state.done.has(item.index) ? undefined : whyDeleted(item, deletedUsers);
      if (cause !== undefined) unfit.set(item, { type: "", id: "", message: "", cause });
    }
    if (target === undefined) return unfit;
    for (const item of items) {
      const why = this.#foreign.get(item.index);
      if (why !== undefined && !ledger.state.done.has(item.index)) unfit.set(item, { type: "", ...why });
    }
    const gone = await replaced.goneOf(items.filter(({ index }) => !ledger.state.done.has(index)));
    for (const [item, cause] of gone) unfit.set(item, { type: "", id: "", message: "", cause });
    for (const item of items) {
      if (unfit.has(item)) continue;
      const cause = ledger.state.done.has(item.index) ? undefined : await owners?.whyNot(item);
      if (cause !== undefined) {
        unfit.set(item, { type: "", id: "", message: "", cause });
        continue;
      }
      const isMachine = item.key === "machineUsers";
      if ((!isMachine && item.key !== "humanUsers") || ledger.state.done.has(item.index)) continue;
      const id = isMachine ? machineIdOf(item.bytes) : userIdOf(item.bytes);
      const fail = (cause: Failure["cause"], message = ""): void =>
        void unfit.set(item, { type: "", id, message, cause }); // the place follows
      const failWith = (former: string): void => {
        const message = `organization ${shown(asking.api.redactor.clean(former))}`;
        if (ledger.whyClosed(item) === undefined) fail("removed-with-org", message);
      };
      const former = target.removedWith(id);
      if (former !== undefined) {
        failWith(former);
        continue;
      }
      const from = target.removedFrom?.(id);
      if (id === "" || !(isMachine || from !== undefined || target.isMachine(id) || replaced.isMachineOfOther(id)))
        continue;
      const orgId = this.#orgIdOf(item.org);
      // A service user may have taken the place of the user since: the log of these grows.
      const isFresh = isMachine || target.isMachine(id) || replaced.isMachineOfOther(id);
      const last = isFresh ? await lastLifeEvent(id, asking) : (await this.#lastOfRemoved()).get(id);
      if (last?.type.type === ORG_REMOVED) failWith(last.aggregate.resourceOwner);
      else if (isAlive(last)) {
        const home = last.aggregate.resourceOwner;
        const isOtherKind = (last.type.type === MACHINE_ADDED) !== isMachine;
        if (home !== orgId && (isMachine || isOtherKind))
          fail("in-other-org", `organization ${shown(asking.api.redactor.clean(home))}`);
        else if (isOtherKind) fail("id-of-other-kind");
      } else if (last !== undefined && isMachine) {
        if (from !== undefined && from !== orgId && !mayRecreate(plan.version, from, orgId))
          fail("user-removed", `organization ${shown(asking.api.redactor.clean(from))}`);
        else if (leavesRemoved && (await this.#isByOther(last))) fail("removed-by-other");
      } else if (last !== undefined && !isMachine && from !== undefined) {
        if (!mayRecreate(plan.version, from, orgId))
          fail("user-removed", `organization ${shown(asking.api.redactor.clean(from))}`);
        else if (from !== orgId && leavesRemoved && (await this.#isByOther(last))) fail("removed-by-other");
        else this.#comingBack.add(item.index);
      }
    }
    return unfit;
  }

  /** The last life events, before this run, of the users of the input that were removed: there may be many, after an undo. */
  #lastOfRemoved(): Promise<ReadonlyMap<string, ServiceEvent>> {
    this.#removed ??= this.#readRemoved();
    return this.#removed;
  }

  async #readRemoved(): Promise<ReadonlyMap<string, ServiceEvent>> {
    const { asking, plan, target } = this.#screened;
    const ids: string[] = [];
    for await (const items of readSection(plan, "humanUsers", asking.signal))
      for (const { bytes } of items)
        if (target?.removedFrom?.(userIdOf(bytes)) !== undefined) ids.push(userIdOf(bytes));
    return lastLifeEvents(ids, asking);
  }

  /** True unless an account of this job caused the event. */
  async #isByOther({ editor }: ServiceEvent): Promise<boolean> {
    const { asking, ledger } = this.#screened;
    this.#self ??= readSelf(asking);
    return ![await this.#self, ...(ledger.state.job?.by ?? [])].includes(editor?.userId ?? "");
  }
}

/**
 * True for an element that belongs to a user of this job that another account or job replaced, to one that was not created, or to an id that
 * occurs several times.
 */
function isOfTaken(
  item: Item,
  { state: { takenIds, uncreatedIds } }: Ledger,
  { scan: { repeatedIds } }: Plan,
): boolean {
  if (takenIds.size + uncreatedIds.size + repeatedIds.size === 0) return false;
  const owner = ownerOf(item);
  return takenIds.has(owner) || uncreatedIds.has(owner) || repeatedIds.has(owner);
}

function whyDeleted(item: Item, deleted: ReadonlySet<string> | undefined): Failure["cause"] | undefined {
  if (deleted === undefined || deleted.size === 0) return undefined;
  const isUser = item.key === "humanUsers" || item.key === "machineUsers";
  const id = item.key === "machineUsers" ? machineIdOf(item.bytes) : isUser ? userIdOf(item.bytes) : ownerOf(item);
  if (!deleted.has(id)) return undefined;
  return isUser ? "deleted-at-source" : "consequence";
}

/** Items that another account created, or that fail. */
function settlementOf(items: readonly Item[], result: BatchResult): Settlement {
  return { items, way: "import", result, whose: () => "theirs" };
}
