import type { Item } from "../../../core/document/items.ts";
import { ownerOf, userIdOf } from "../../../core/document/user-id.ts";
import { USER_REMOVED } from "../../../core/events/user-life.ts";
import type { Asking } from "../../shared/asking.ts";
import { createLimiter } from "../../shared/limiter.ts";
import { GrowingLog } from "../../shared/read-log.ts";
import { isRemoved } from "../../shared/user-life.ts";
import type { Ledger } from "../ledger.ts";
import { findUsers, type Plan, readSection } from "../plan/plan.ts";
import { machineIdOf } from "../plan/target-state.ts";

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
  /** Users with a removal that no look has decided about. */
  readonly #removed = new Set<string>();
  readonly #limiter = createLimiter(() => 1);

  constructor(context: ReplacedContext) {
    this.#context = context;
  }

  /** The users who still exist as this job created them. Raises what reading events raises. */
  async without(users: readonly Item[]): Promise<readonly Item[]> {
    await this.#read();
    const left: Item[] = [];
    for (const item of users) {
      const isSame = !this.#removed.has(userIdOf(item.bytes)) || (await this.#context.isOwnUser(item));
      if (isSame) left.push(item);
    }
    return left;
  }

  /** Fails the replaced users to which some items belong. Raises what reading events raises. */
  async failOwnersOf(items: readonly Item[]): Promise<void> {
    const owners = new Set(items.map(ownerOf));
    owners.delete("");
    if (owners.size > 0) await this.#fail((id) => owners.has(id));
  }

  /** Fails all replaced users, and those that existed before the run and do not any more. Raises what reading events raises. */
  async failAll(): Promise<void> {
    await this.#fail(() => true);
  }

  /** One look at a time: two would fail a user twice. */
  #fail(isWanted: (userId: string) => boolean): Promise<void> {
    return this.#limiter.run(async () => {
      await this.#read();
      const ids = [...this.#removed].filter(isWanted);
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
      if (item !== undefined && !failed.has(item.index) && !(await isOwnUser(item))) {
        // What an interrupted healing deleted, this run recreates.
        const isToRecreate = healing.has(item.index) && (await isRemoved(id, asking));
        if (!isToRecreate) ledger.failReplaced(item);
      }
      const existing = item === undefined ? items.find((one) => ledger.isExisting(one)) : undefined;
      if (existing !== undefined) ledger.failGone(existing, (await isRemoved(id, asking)) ? "gone" : "taken-over");
    }
    await this.#failMachines(new Set(ids.filter((id) => !users.has(id))));
    for (const id of ids) this.#removed.delete(id);
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
        if (ids.has(id) && isSettled && !(await isOwnMachine(item))) ledger.failMachine(id, item);
      }
    }
  }

  async #read(): Promise<void> {
    const { asking, ledger } = this.#context;
    const after = ledger.state.job?.mark;
    if (after === undefined) return;
    this.#log ??= new GrowingLog("", { eventTypes: [USER_REMOVED], orgIds: [], after });
    await this.#log.read(asking, ({ aggregate: { id } }) => void this.#removed.add(id));
  }
}
