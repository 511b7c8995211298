import type { Verifier } from "./verifiers.ts";

/** The costs that the service accepts of a hash, both ends included (service behaviour 9.4). An absent end has no limit. */
export interface CostRange {
  readonly min?: number;
  readonly max?: number;
}

interface CostRow extends Required<CostRange> {
  readonly verifier: Verifier;
  /** The settings of the service for both ends, without what all of them begin with. */
  readonly settings: readonly [min: string, max: string];
}

/** What all settings of limits begin with (service behaviour 9.4). */
const SETTING = "ZITADEL_SYSTEMDEFAULTS_PASSWORDHASHER_LIMITS_";

/**
 * The costs of hashes that the service limits, and its default limits (service behaviour 9.4). Units: `argon2-memory` is in KiB;
 * `bcrypt`, `scrypt-ln` and `phpass-rounds` are powers of two.
 */
export const hashCosts = {
  bcrypt: { verifier: "bcrypt", min: 10, max: 16, settings: ["BCRYPT_MINCOST", "BCRYPT_MAXCOST"] },
  "argon2-memory": { verifier: "argon2", min: 8192, max: 524_288, settings: ["ARGON2_MINMEMORY", "ARGON2_MAXMEMORY"] },
  "argon2-time": { verifier: "argon2", min: 1, max: 10, settings: ["ARGON2_MINTIME", "ARGON2_MAXTIME"] },
  "argon2-parallelism": { verifier: "argon2", min: 1, max: 16, settings: ["ARGON2_MINTHREADS", "ARGON2_MAXTHREADS"] },
  "pbkdf2-rounds": {
    verifier: "pbkdf2",
    min: 1000,
    max: 10_000_000,
    settings: ["PBKDF2_MINROUNDS", "PBKDF2_MAXROUNDS"],
  },
  "scrypt-ln": { verifier: "scrypt", min: 14, max: 20, settings: ["SCRYPT_MINLN", "SCRYPT_MAXLN"] },
  "scrypt-r": { verifier: "scrypt", min: 8, max: 32, settings: ["SCRYPT_MINR", "SCRYPT_MAXR"] },
  "scrypt-p": { verifier: "scrypt", min: 1, max: 16, settings: ["SCRYPT_MINP", "SCRYPT_MAXP"] },
  "sha256-rounds": {
    verifier: "sha2",
    min: 1000,
    max: 999_999_999,
    settings: ["SHA2_MINSHA256ROUNDS", "SHA2_MAXSHA256ROUNDS"],
  },
  "sha512-rounds": {
    verifier: "sha2",
    min: 1000,
    max: 999_999_999,
    settings: ["SHA2_MINSHA512ROUNDS", "SHA2_MAXSHA512ROUNDS"],
  },
  "phpass-rounds": { verifier: "phpass", min: 7, max: 31, settings: ["PHPASS_MINROUNDS", "PHPASS_MAXROUNDS"] },
  "drupal7-iterations": {
    verifier: "drupal7",
    min: 1000,
    max: 500_000,
    settings: ["DRUPAL7_MINITERATIONS", "DRUPAL7_MAXITERATIONS"],
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
  const isBelow = value < (limits[cost]?.min ?? 0);
  return `${SETTING}${hashCosts[cost].settings[isBelow ? 0 : 1]}=${value}`;
}

/** The limits of these costs, widened until they accept the values. */
export function widened(
  limits: HashLimits,
  values: readonly { readonly cost: HashCost; readonly value: number }[],
): HashLimits {
  const wide: Partial<Record<HashCost, CostRange>> = {};
  for (const { cost, value } of values) {
    const range = wide[cost] ?? limits[cost] ?? {};
    wide[cost] = {
      ...(range.min === undefined ? {} : { min: Math.min(range.min, value) }),
      ...(range.max === undefined ? {} : { max: Math.max(range.max, value) }),
    };
  }
  return wide;
}

/** Limits as `--target-limits` takes them, such as `bcrypt=10-16,pbkdf2-rounds=1000-`. */
export function formatHashLimits(limits: HashLimits): string {
  return hashCostNames
    .filter((name) => limits[name] !== undefined)
    .map((name) => `${name}=${limits[name]?.min ?? ""}-${limits[name]?.max ?? ""}`)
    .join(",");
}

/**
 * Reads limits in the form of `formatHashLimits`. An absent end has no limit: `bcrypt=4-` accepts every cost from 4. undefined: the
 * text has another form, names an unknown cost or one cost twice, or a range is empty.
 */
export function parseHashLimits(text: string): HashLimits | undefined {
  const limits: Partial<Record<HashCost, CostRange>> = {};
  for (const part of text.split(",")) {
    const [, name = "", min = "", max = ""] = /^\s*([a-z0-9-]+)=(\d*)-(\d*)\s*$/.exec(part) ?? [];
    const cost = hashCostNames.find((known) => known === name);
    if (cost === undefined || limits[cost] !== undefined) return undefined;
    if (min !== "" && max !== "" && Number(min) > Number(max)) return undefined;
    limits[cost] = { ...(min === "" ? {} : { min: Number(min) }), ...(max === "" ? {} : { max: Number(max) }) };
  }
  return limits;
}
