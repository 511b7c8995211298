import type { Item } from "../../../core/document/items.ts";
import { type Counts, countOne, type Existing, type Failure } from "../../../core/transfer/answer/batch-result.ts";
import type { Verdict } from "../../../core/transfer/answer/outcome.ts";
import type { Batch } from "../../../core/transfer/batches.ts";
import { runsOf, type Settlement, type Take } from "../ledger.ts";
import { type CreatedUser, NeverSent, UserCreator, type UsersAccess } from "./create-user.ts";
import type { Sender, SenderContext } from "./way.ts";

/** Outcomes wait this long for others: `orgferry status` shows them, and after a kill these users are not unknown. */
const SETTLED_EVERY_MS = 1_000;

/** Creates users through the users API, one user per call and as many calls at a time as the lane allows. */
export class UsersApiSender implements Sender {
  readonly #context: SenderContext;
  readonly #creator: UserCreator;

  constructor(access: UsersAccess, context: SenderContext) {
    this.#context = context;
    this.#creator = new UserCreator(access, context);
  }

  /** Raises the first problem after every user under way has an outcome, or is known to have none. */
  async send({ items }: Batch, take: Take): Promise<void> {
    const { calling, ledger } = this.#context;
    ledger.announce(items);
    let outcomes = new Map<Item, CreatedUser>();
    let settledMs = performance.now();
    const settle = (): void => {
      const told = outcomes;
      outcomes = new Map();
      settledMs = performance.now();
      for (const run of runsOf(items, (item) => told.has(item))) take(toSettlement(run, told));
    };
    const failures: unknown[] = [];
    const create = async (item: Item): Promise<void> => {
      try {
        const outcome = await this.#creator.create(item);
        outcomes.set(item, outcome);
        if (performance.now() - settledMs >= SETTLED_EVERY_MS) settle();
      } catch (error) {
        this.#creator.stop();
        if (!(error instanceof NeverSent)) failures.push(error);
      }
    };
    await Promise.all(items.map(create));
    settle();
    if (failures.length > 0) throw failures[0];
    calling.signal.throwIfAborted();
  }
}

function toSettlement(items: readonly Item[], outcomes: ReadonlyMap<Item, CreatedUser>): Settlement {
  const others = new Map<string, Counts>();
  const created: Item[] = [];
  const failures: Failure[] = [];
  const existing: Existing[] = [];
  const unknown: string[] = [];
  const carried: number[] = [];
  const verdicts = new Map<Existing, Verdict>();
  for (const item of items) {
    const outcome = outcomes.get(item);
    if (outcome?.kind === "created") {
      created.push(item);
      carried.push(...outcome.carried.map(({ item: index }) => index));
      for (const _ of outcome.carried) countOne(others, "user_metadata", "created");
      failures.push(...outcome.failures);
      for (const { type } of outcome.failures) countOne(others, type, "failed");
    } else if (outcome?.kind === "existing") {
      existing.push(outcome.existing);
      verdicts.set(outcome.existing, outcome.verdict);
    } else if (outcome?.kind === "failed") failures.push(outcome.failure);
    else unknown.push("");
  }
  const result = { created, failures, existing, unknown, open: [], others };
  return { items, way: "users", result, whose: (entry) => verdicts.get(entry) ?? "theirs", carried };
}
