import {
  defaultHashLimits,
  type HashCost,
  type HashLimits,
  isWithin,
  possibleCosts,
} from "../../contract/hash-limits.ts";

/** A cost of a hash that is out of limits. */
export interface CostBreach {
  readonly cost: HashCost;
  readonly value: number;
}

/** What the characters of crypt's base64 stand for, in phpass and Drupal. */
const ITOA64 = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

type CostReader = readonly [form: RegExp, costs: readonly HashCost[], read?: (text: string) => number];

/** Where each form has its costs (service behaviour 4, 9.4). */
const readers: readonly CostReader[] = [
  [/^\$2[aby]\$(\d\d)\$/, ["bcrypt"]],
  [/^\$argon2id?\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$/, ["argon2-memory", "argon2-time", "argon2-parallelism"]],
  [/^\$pbkdf2(?:-sha\d+)?\$(\d+)\$/, ["pbkdf2-rounds"]],
  [/^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$/, ["scrypt-ln", "scrypt-r", "scrypt-p"]],
  [/^\$5\$rounds=(\d+)\$/, ["sha256-rounds"]],
  [/^\$6\$rounds=(\d+)\$/, ["sha512-rounds"]],
  [/^\$[PH]\$(.)/, ["phpass-rounds"], (text) => ITOA64.indexOf(text)],
  [/^\$S\$(.)/, ["drupal7-iterations"], (text) => 2 ** ITOA64.indexOf(text)],
];

const NONE: readonly CostBreach[] = [];

/** The costs of a hash that are out of the limits; none for a form without costs. */
export function breachesOf(hash: string, limits: HashLimits): readonly CostBreach[] {
  for (const [form, costs, read = Number] of readers) {
    const values = form.exec(hash)?.slice(1).map(read);
    if (values === undefined) continue;
    const breaches = costs.flatMap((cost, at) =>
      isWithin(limits, cost, values[at] ?? 0) ? [] : [{ cost, value: values[at] ?? 0 }],
    );
    return breaches.length === 0 ? NONE : breaches;
  }
  return NONE;
}

/** The first cost that no service could compute; undefined: all are possible. */
export function impossibleCostOf(hash: string): HashCost | undefined {
  return breachesOf(hash, possibleCosts)[0]?.cost;
}

const bcryptBreaches = Array.from({ length: 32 }, (_, value) =>
  isWithin(defaultHashLimits, "bcrypt", value) ? NONE : [{ cost: "bcrypt", value } as const],
);

/** As `breachesOf` with the default limits, for a bcrypt hash with this cost. */
export function bcryptBreachesOf(cost: number): readonly CostBreach[] {
  return bcryptBreaches[cost] ?? NONE;
}

/** Users whose hashes are out of the same end of the same limit, with the value that is farthest out. */
export interface CountedBreach {
  readonly cost: HashCost;
  value: number;
  users: number;
  /** The end that they are out of. */
  readonly limit: number;
}

/** Counts breaches by cost and end. */
export class BreachCounts {
  readonly list: CountedBreach[];
  readonly #limits: HashLimits;

  /** @param list gets the counts. */
  constructor(limits: HashLimits, list: CountedBreach[] = []) {
    this.#limits = limits;
    this.list = list;
  }

  add(breaches: readonly CostBreach[]): void {
    for (const { cost, value } of breaches) {
      const isBelow = this.#isBelow({ cost, value });
      const found = this.list.find((one) => one.cost === cost && this.#isBelow(one) === isBelow);
      const { min = 0, max = 0 } = this.#limits[cost] ?? {};
      if (found === undefined) this.list.push({ cost, value, users: 1, limit: isBelow ? min : max });
      else {
        found.users += 1;
        found.value = isBelow ? Math.min(found.value, value) : Math.max(found.value, value);
      }
    }
  }

  #isBelow({ cost, value }: CostBreach): boolean {
    return value < (this.#limits[cost]?.min ?? 0);
  }
}
