import { withRetry } from "../../../admin/with-retry.ts";
import type { Item } from "../../../core/document/items.ts";
import { machineIdOf, ownerOf, userIdOf } from "../../../core/document/user-id.ts";
import { isAlive, lifeEvents, MACHINE_ADDED, USER_REMOVED } from "../../../core/events/user-life.ts";
import { isLater } from "../../../core/rules/moment.ts";
import type { Asking } from "../../shared/asking.ts";
import { createLimiter } from "../../shared/limiter.ts";
import { GrowingLog } from "../../shared/read-log.ts";
import { isRemoved, readSelf } from "../../shared/user-life.ts";
import type { Ledger } from "../ledger.ts";
import { findUsers, type Plan, readSection } from "../plan/plan.ts";

/** What a user of the job is compared with. */
interface ReplacedContext {
  readonly asking: Asking;
  readonly plan: Plan;
  readonly ledger: Ledger;
  /** True if the user exists as this job created it. */
  isOwnUser(item: Item): Promise<boolean>;
  isOwnMachine(item: Item): Promise<boolean>;
}

/**
 * Users that this job created, and that another account or job deleted or replaced since. What belongs to such a user must not reach the
 * person who has the id now. The log of removals grows: each look reads what is new. For a target that offers no events, nothing is known,
 * and nothing changes; a log that is refused later ends the run.
 */
export class Replaced {
  readonly #context: ReplacedContext;
  #log: GrowingLog | undefined;
  /** Users with a removal, or with a creation by another account, that no look has decided about. */
  readonly #open = new Set<string>();
  /** Users that other accounts have removed; they may exist again. */
  readonly #removedByOthers = new Set<string>();
  /** Machine users that other accounts have created; the service would write a person of the same id onto them (service behaviour 0.43). */
  readonly #machinesOfOthers = new Set<string>();
  /** Machine users that this run or an earlier one of the job sent. */
  readonly #sentMachines = new Set<string>();
  #hasEarlier = false;
  /** Machine users that were looked at. */
  readonly #examined = new Set<string>();
  /** Users of other accounts that the service wrote machine users of this job onto, and machine users onto which it wrote a person. */
  readonly #overwritten = new Set<string>();
  readonly #deletedBefore = new Set<string>();
  #self: Promise<string | undefined> | undefined;
  /** The reading that has not begun yet. */
  #next: Promise<void> | undefined;
  readonly #readings = createLimiter(() => 1);
  readonly #looks = createLimiter(() => 1);

  constructor(context: ReplacedContext) {
    this.#context = context;
  }

  /** The users who still exist as this job created them. Raises what reading events raises. */
  async without(users: readonly Item[]): Promise<readonly Item[]> {
    await this.#readOn();
    const left: Item[] = [];
    for (const item of users) {
      const isSame = !this.#open.has(userIdOf(item.bytes)) || (await this.#context.isOwnUser(item));
      if (isSame) left.push(item);
    }
    return left;
  }

  /**
   * Of the users that are about to be sent: those that another account has removed since the job began, with the cause of the failure. An
   * earlier call without an answer may have created such a user. Raises what reading events raises.
   */
  async goneOf(items: readonly Item[]): Promise<ReadonlyMap<Item, "gone" | "taken-over">> {
    const gone = new Map<Item, "gone" | "taken-over">();
    const users = items.filter(({ key }) => key === "humanUsers" || key === "machineUsers");
    if (users.length === 0) return gone;
    const { asking, ledger } = this.#context;
    await this.#readOn();
    for (const item of this.#removedByOthers.size === 0 ? [] : users) {
      const id = item.key === "machineUsers" ? machineIdOf(item.bytes) : userIdOf(item.bytes);
      if (this.#removedByOthers.has(id) && (await isRemoved(id, asking)))
        gone.set(item, ledger.state.lost.has(item.index) ? "taken-over" : "gone");
    }
    return gone;
  }

  /** Users that other accounts have removed since the job began; they may exist again. Raises what reading events raises. */
  async removedByOthers(): Promise<ReadonlySet<string>> {
    await this.#readOn();
    return this.#removedByOthers;
  }

  /** The machine users among these items are about to be sent. */
  sending(items: readonly Item[]): void {
    for (const { key, bytes } of items) if (key === "machineUsers") this.#sentMachines.add(machineIdOf(bytes));
  }

  /** True for a machine user that another account has created since the job began, by the last look. */
  isMachineOfOther(id: string): boolean {
    return this.#machinesOfOthers.has(id);
  }

  /** Fails the replaced users to which some items belong. Raises what reading events raises. */
  async failOwnersOf(items: readonly Item[]): Promise<void> {
    const owners = new Set(items.map(ownerOf));
    owners.delete("");
    if (owners.size > 0) await this.#fail((id) => owners.has(id));
  }

  /**
   * Fails all replaced users, and those that existed before the run and do not any more. At last, each machine user is looked at once more.
   * Raises what reading events raises.
   */
  async failAll(isLast = false): Promise<void> {
    await this.#fail(() => true, isLast);
  }

  /** One look at a time: two would fail a user twice. */
  #fail(isWanted: (userId: string) => boolean, looksAgain = true): Promise<void> {
    return this.#looks.run(async () => {
      await this.#readOn();
      await this.#noteEarlier();
      for (const id of [...this.#sentMachines].filter(isWanted))
        if (looksAgain || !this.#examined.has(id)) await this.#findOverwritten(id);
      const ids = [...this.#open].filter(isWanted);
      if (ids.length > 0) await this.#failThese(ids);
    });
  }

  async #failThese(ids: readonly string[]): Promise<void> {
    const { asking, plan, ledger, isOwnUser } = this.#context;
    const { counted, madeIds, failedItems, healing } = ledger.state;
    const failed = new Set(failedItems);
    const users = await findUsers(plan, new Set(ids), asking.signal);
    for (const id of ids) {
      const items = users.get(id) ?? [];
      const item = items.find(({ index }) => counted.has(index)) ?? (madeIds.includes(id) ? items[0] : undefined);
      const isOthers = this.#isOthers(id);
      if (item !== undefined && !failed.has(item.index) && (isOthers || !(await isOwnUser(item)))) {
        // What an interrupted healing deleted, this run recreates.
        const isToRecreate = !isOthers && healing.has(item.index) && (await isRemoved(id, asking));
        if (!isToRecreate) ledger.failReplaced(item);
      }
      const existing = item === undefined ? items.find((one) => ledger.isExisting(one)) : undefined;
      // One that an earlier run of the job created anew is no other user.
      if (existing !== undefined && !(await isOwnUser(existing)))
        ledger.failGone(existing, (await isRemoved(id, asking)) ? "gone" : "taken-over");
    }
    await this.#failMachines(new Set(ids.filter((id) => !users.has(id))));
    for (const id of ids) this.#open.delete(id);
  }

  /** Machine users are in no numbers of users. One that existed before the run does not exist any more either. */
  async #failMachines(ids: ReadonlySet<string>): Promise<void> {
    const { asking, plan, ledger, isOwnMachine } = this.#context;
    if (ids.size === 0) return;
    const { done, failedIds } = ledger.state;
    for await (const portion of readSection(plan, "machineUsers", asking.signal)) {
      for (const item of portion) {
        const id = machineIdOf(item.bytes);
        const isSettled = done.has(item.index) && !failedIds.has(id);
        if (ids.has(id) && isSettled && (this.#isOthers(id) || !(await isOwnMachine(item))))
          ledger.failMachine(id, item);
      }
    }
  }

  /**
   * True for an id that another account removed, or gave to a machine user, before this job created the user: in the moment of the call. The
   * user was deleted on purpose, or another one was overwritten.
   */
  #isOthers(id: string): boolean {
    return this.#removedByOthers.has(id) || this.#machinesOfOthers.has(id) || this.#overwritten.has(id);
  }

  /** Machine users that earlier runs of the job sent. */
  async #noteEarlier(): Promise<void> {
    const { asking, plan, ledger } = this.#context;
    if (this.#hasEarlier || ledger.state.job?.mark === undefined) return;
    this.#hasEarlier = true;
    const { done } = ledger.state;
    if (done.isEmpty) return;
    for await (const portion of readSection(plan, "machineUsers", asking.signal))
      this.sending(portion.filter(({ index }) => done.has(index)));
  }

  /**
   * Finds out whether the service wrote a machine user of this job onto a user who appeared after the last look before the call, or a person
   * onto a machine user: there is no removal then (service behaviour 0.43).
   */
  async #findOverwritten(id: string): Promise<void> {
    const { asking, ledger } = this.#context;
    const self = await this.#self;
    const mark = ledger.state.job?.mark;
    if (mark === undefined || self === undefined) return;
    const { api, retry, signal } = asking;
    const request = { aggregate_id: id, event_types: [...lifeEvents], asc: false, limit: 2 };
    const { events } = await withRetry(() => api.searchEvents(request, signal), retry, signal);
    const [last, before] = events;
    if (!isAlive(last)) return;
    const isPerson = last.type.type !== MACHINE_ADDED;
    const isOurs = last.editor?.userId === self && isLater(last.creationDate, mark);
    const isKnown = this.#examined.has(id) || !isOurs;
    this.#examined.add(id);
    if (!isPerson && isKnown) return;
    if (!isPerson && (!isAlive(before) || before.editor?.userId === self)) return;
    this.#sentMachines.delete(id);
    this.#overwritten.add(id);
    this.#open.add(id);
  }

  /** Reads what is new. All who wait for a reading that has not begun share it. */
  #readOn(): Promise<void> {
    this.#next ??= this.#readings.run(async () => {
      await Promise.resolve(); // until `#next` has its value
      this.#next = undefined;
      await this.#read();
    });
    return this.#next;
  }

  async #read(): Promise<void> {
    const { asking, ledger } = this.#context;
    const after = ledger.state.job?.mark;
    if (after === undefined) return;
    // --restart creates anew what other accounts deleted before. Readings overlap: a deletion may be read twice.
    const isBefore = this.#log === undefined && ledger.state.isRestarted;
    this.#log ??= new GrowingLog("", { eventTypes: [USER_REMOVED, MACHINE_ADDED], orgIds: [], after });
    this.#self ??= readSelf(asking);
    const self = await this.#self;
    // Earlier runs of the job may have had another service user.
    const accounts = new Set([self, ...(ledger.state.job?.by ?? [])]);
    await this.#log.read(asking, ({ aggregate: { id }, type, editor, creationDate }) => {
      const isByOther = self !== undefined && !accounts.has(editor?.userId);
      if (type.type === MACHINE_ADDED) {
        if (!isByOther) return;
        this.#open.add(id);
        this.#machinesOfOthers.add(id);
        return;
      }
      this.#open.add(id);
      this.#machinesOfOthers.delete(id);
      const deletion = `${id} ${creationDate}`;
      if (isBefore) this.#deletedBefore.add(deletion);
      if (this.#deletedBefore.has(deletion)) return;
      if (isByOther) this.#removedByOthers.add(id);
    });
  }
}
