import type { Verifier } from "./verifiers.ts";

/** The costs that the service accepts of a hash, both ends included (service behaviour 9.4). An absent end has no limit. */
export interface CostRange {
  readonly min?: number;
  readonly max?: number;
}

interface CostRow extends Required<CostRange> {
  readonly verifier: Verifier;
  /** Both ends as the settings of the service name them, in lower camel case. */
  readonly ends: readonly [min: string, max: string];
}

/** What all settings of limits begin with (service behaviour 9.4). */
const SETTING = "ZITADEL_SYSTEMDEFAULTS_PASSWORDHASHER_LIMITS_";

/**
 * The costs of hashes that the service limits, and its default limits (service behaviour 9.4). Units: `argon2-memory` is in KiB;
 * `bcrypt`, `scrypt-ln` and `phpass-rounds` are powers of two.
 */
export const hashCosts = {
  bcrypt: { verifier: "bcrypt", min: 10, max: 16, ends: ["minCost", "maxCost"] },
  "argon2-memory": { verifier: "argon2", min: 8192, max: 524_288, ends: ["minMemory", "maxMemory"] },
  "argon2-time": { verifier: "argon2", min: 1, max: 10, ends: ["minTime", "maxTime"] },
  "argon2-parallelism": { verifier: "argon2", min: 1, max: 16, ends: ["minThreads", "maxThreads"] },
  "pbkdf2-rounds": {
    verifier: "pbkdf2",
    min: 1000,
    max: 10_000_000,
    ends: ["minRounds", "maxRounds"],
  },
  "scrypt-ln": { verifier: "scrypt", min: 14, max: 20, ends: ["minLn", "maxLn"] },
  "scrypt-r": { verifier: "scrypt", min: 8, max: 32, ends: ["minR", "maxR"] },
  "scrypt-p": { verifier: "scrypt", min: 1, max: 16, ends: ["minP", "maxP"] },
  "sha256-rounds": {
    verifier: "sha2",
    min: 1000,
    max: 999_999_999,
    ends: ["minSha256Rounds", "maxSha256Rounds"],
  },
  "sha512-rounds": {
    verifier: "sha2",
    min: 1000,
    max: 999_999_999,
    ends: ["minSha512Rounds", "maxSha512Rounds"],
  },
  "phpass-rounds": { verifier: "phpass", min: 7, max: 31, ends: ["minRounds", "maxRounds"] },
  "drupal7-iterations": {
    verifier: "drupal7",
    min: 1000,
    max: 500_000,
    ends: ["minIterations", "maxIterations"],
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

/** True when the limits accept the value of this cost. */
export function isWithin(limits: HashLimits, cost: HashCost, value: number): boolean {
  const { min = 0, max = Number.POSITIVE_INFINITY } = limits[cost] ?? {};
  return value >= min && value <= max;
}

/** The setting, with its value, that makes the service accept a value that is out of its limits. */
export function settingFor(limits: HashLimits, cost: HashCost, value: number): string {
  const { verifier, ends } = hashCosts[cost];
  const end = ends[value < (limits[cost]?.min ?? 0) ? 0 : 1];
  return `${SETTING}${verifier}_${end}=${value}`.replace(/_LIMITS_.*=/, (name) => name.toUpperCase());
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
  return hashCostNames
    .flatMap((name) => {
      const { verifier, ends } = hashCosts[name];
      return [limits[name]?.min, limits[name]?.max].map((value, at) =>
        value === undefined ? "" : `${verifier}.${ends[at]}=${value}`,
      );
    })
    .filter((text) => text !== "")
    .join(",");
}

/**
 * Reads ends in the form of `formatHashLimits`; "none" for a target without limits. undefined: the text has another form, names an
 * unknown end or one end twice, or a range is empty.
 */
export function parseHashLimits(text: string): HashLimits | "none" | undefined {
  if (text.trim() === "none") return "none";
  const limits: Partial<Record<HashCost, { min?: number; max?: number }>> = {};
  for (const part of text.split(",")) {
    const [, verifier, end = "", value] = /^\s*([a-z0-9]+)\.(\w+)=(\d+)\s*$/.exec(part) ?? [];
    const cost = hashCostNames.find((name) => {
      const row: CostRow = hashCosts[name];
      return row.verifier === verifier && row.ends.includes(end);
    });
    if (cost === undefined) return undefined;
    const side = end.startsWith("min") ? "min" : "max";
    const range = limits[cost] ?? {};
    if (range[side] !== undefined) return undefined;
    range[side] = Number(value);
    if ((range.min ?? 0) > (range.max ?? Number.POSITIVE_INFINITY)) return undefined;
    limits[cost] = range;
  }
  return limits;
}

/** The names of all ends, for people. */
export const hashLimitEnds: readonly string[] = hashCostNames.flatMap((name) => {
  const { verifier, ends } = hashCosts[name];
  return ends.map((end) => `${verifier}.${end}`);
});
