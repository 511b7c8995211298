import type { Verifier } from "./verifiers.ts";

/** The costs that the service accepts of a hash, both ends included (service behaviour 9.4). An absent end has no limit. */
export interface CostRange {
  readonly min?: number;
  readonly max?: number;
}

interface CostRow extends Required<CostRange> {
  readonly verifier: Verifier;
  /** No hash with a value out of these ends can be checked, with any limits of the service. */
  readonly least: number;
  readonly most: number;
  /** What the settings of the service call it, behind "min" and "max". */
  readonly setting: string;
}

/** What all settings of limits begin with (service behaviour 9.4). */
const SETTING = "ZITADEL_SYSTEMDEFAULTS_PASSWORDHASHER_LIMITS_";

const INT32 = 2 ** 31 - 1;
const UINT32 = 2 ** 32 - 1;

/**
 * The costs of hashes that the service limits, with the possible values and the default limits (service behaviour 9.4). Units:
 * `argon2-memory` is in KiB; `bcrypt`, `scrypt-ln` and `phpass-rounds` are powers of two.
 */
export const hashCosts = {
  bcrypt: { verifier: "bcrypt", least: 4, most: 31, min: 10, max: 16, setting: "Cost" },
  "argon2-memory": { verifier: "argon2", least: 8, most: UINT32, min: 8192, max: 524_288, setting: "Memory" },
  "argon2-time": { verifier: "argon2", least: 1, most: UINT32, min: 1, max: 10, setting: "Time" },
  "argon2-parallelism": { verifier: "argon2", least: 1, most: 255, min: 1, max: 16, setting: "Threads" },
  "pbkdf2-rounds": { verifier: "pbkdf2", least: 1, most: INT32, min: 1000, max: 10_000_000, setting: "Rounds" },
  "scrypt-ln": { verifier: "scrypt", least: 1, most: 31, min: 14, max: 20, setting: "Ln" },
  "scrypt-r": { verifier: "scrypt", least: 1, most: INT32, min: 8, max: 32, setting: "R" },
  "scrypt-p": { verifier: "scrypt", least: 1, most: INT32, min: 1, max: 16, setting: "P" },
  "sha256-rounds": {
    verifier: "sha2",
    least: 1000,
    most: 999_999_999,
    min: 1000,
    max: 999_999_999,
    setting: "Sha256Rounds",
  },
  "sha512-rounds": {
    verifier: "sha2",
    least: 1000,
    most: 999_999_999,
    min: 1000,
    max: 999_999_999,
    setting: "Sha512Rounds",
  },
  "phpass-rounds": { verifier: "phpass", least: 1, most: 31, min: 7, max: 31, setting: "Rounds" },
  "drupal7-iterations": {
    verifier: "drupal7",
    least: 1,
    most: 2 ** 30,
    min: 1000,
    max: 500_000,
    setting: "Iterations",
  },
} as const satisfies Readonly<Record<string, CostRow>>;

export type HashCost = keyof typeof hashCosts;

/** The names of all costs. */
export const hashCostNames = Object.keys(hashCosts) as readonly HashCost[]; // the keys are those of the table

/** The accepted range of each cost; an absent cost has no limits. */
export type HashLimits = Readonly<Partial<Record<HashCost, CostRange>>>;

/** The limits of a service with default settings (service behaviour 9.4). */
export const defaultHashLimits: HashLimits = Object.fromEntries(
  hashCostNames.map((name) => [name, { min: hashCosts[name].min, max: hashCosts[name].max }]),
);

/** The values that a hash can have, with any limits of the service. */
export const possibleCosts: HashLimits = Object.fromEntries(
  hashCostNames.map((name) => [name, { min: hashCosts[name].least, max: hashCosts[name].most }]),
);

/** True when the limits accept the value of this cost. */
export function isWithin(limits: HashLimits, cost: HashCost, value: number): boolean {
  const { min = 0, max = Number.POSITIVE_INFINITY } = limits[cost] ?? {};
  return value >= min && value <= max;
}

/** The setting, with its value, that makes the service accept a value that is out of its limits. */
export function settingFor(limits: HashLimits, cost: HashCost, value: number): string {
  const { verifier, setting } = hashCosts[cost];
  const end = value < (limits[cost]?.min ?? 0) ? "min" : "max";
  return `${SETTING}${verifier}_${end}${setting}=${value}`.replace(/_LIMITS_.*=/, (name) => name.toUpperCase());
}

/** The ends that must change until the limits accept these values. */
export function endsFor(
  limits: HashLimits,
  values: readonly { readonly cost: HashCost; readonly value: number }[],
): HashLimits {
  const changed: Partial<Record<HashCost, CostRange>> = {};
  for (const { cost, value } of values) {
    const { min = 0, max = Number.POSITIVE_INFINITY } = { ...limits[cost], ...changed[cost] };
    if (value < min) changed[cost] = { ...changed[cost], min: value };
    if (value > max) changed[cost] = { ...changed[cost], max: value };
  }
  return changed;
}

/** These limits, with other ends where `changes` has one. */
export function withEnds(limits: HashLimits, changes: HashLimits): HashLimits {
  const costs = hashCostNames.filter((name) => limits[name] !== undefined || changes[name] !== undefined);
  return Object.fromEntries(costs.map((name) => [name, { ...limits[name], ...changes[name] }]));
}

/** Ends as `--target-limits` takes them, such as `bcrypt.minCost=4,argon2.minMemory=7168`. */
export function formatHashLimits(limits: HashLimits): string {
  return allEnds
    .flatMap(({ name, side, text }) => (limits[name]?.[side] === undefined ? [] : [`${text}=${limits[name][side]}`]))
    .join(",");
}

/** Both ends of all costs, as `--target-limits` names them. */
const allEnds = hashCostNames.flatMap((name) =>
  (["min", "max"] as const).map((side) => {
    const { verifier, setting } = hashCosts[name];
    return { name, side, text: `${verifier}.${side}${setting}` };
  }),
);

/** The names of all ends, for people. */
export const hashLimitEnds: readonly string[] = allEnds.map(({ text }) => text);

/**
 * Reads ends in the form of `formatHashLimits`; "none" for a target without limits. undefined: the text has another form, names an
 * unknown end or one end twice, or a range is empty.
 */
export function parseHashLimits(text: string): HashLimits | "none" | undefined {
  if (text.trim() === "none") return "none";
  const limits: Partial<Record<HashCost, { min?: number; max?: number }>> = {};
  for (const part of text.split(",")) {
    const [, wanted, value] = /^\s*([a-z0-9]+\.\w+)=(\d+)\s*$/.exec(part) ?? [];
    const end = allEnds.find((one) => one.text === wanted);
    if (end === undefined) return undefined;
    const { name, side } = end;
    const range = limits[name] ?? {};
    if (range[side] !== undefined) return undefined;
    range[side] = Number(value);
    if ((range.min ?? 0) > (range.max ?? Number.POSITIVE_INFINITY)) return undefined;
    limits[name] = range;
  }
  return limits;
}
