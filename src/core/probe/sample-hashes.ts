import type { HashCost } from "../../contract/hash-limits.ts";
import type { Verifier } from "../../contract/verifiers.ts";

/** The costs of one hash. Units: those of `hashCosts`. */
export type Costs = Readonly<Partial<Record<HashCost, number>>>;

/** A kind of hash: its text for given costs, and what the costs may be. No password matches these hashes. */
export interface HashKindSample {
  readonly verifier: Verifier;
  readonly text: (costs: Costs) => string;
  /** Costs that hashes in use have, the most frequent first. The service accepts one of them unless its limits are unusual. */
  readonly usual: readonly Costs[];
  /** The costs that can vary. */
  readonly costs: readonly HashCost[];
  /** The text can express only the powers of two among the values. */
  readonly isPower?: boolean;
}

/** The alphabet in which phpass and Drupal 7 write a power of two as one character. */
const ITOA64 = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const SALT = base64(16);
const KEY = base64(32);

/** The samples in the order of the verifiers. sha2 has two, whose limits differ. */
export const hashSamples: readonly HashKindSample[] = [
  {
    verifier: "bcrypt",
    text: ({ bcrypt = 0 }) => `$2b$${String(bcrypt).padStart(2, "0")}$${"orgferry".repeat(7).slice(0, 53)}`,
    usual: [12, 10, 14, 16, 8, 6, 5, 4, 18, 20, 24, 31].map((bcrypt) => ({ bcrypt })),
    costs: ["bcrypt"],
  },
  {
    verifier: "argon2",
    text: (costs) =>
      `$argon2id$v=19$m=${costs["argon2-memory"]},t=${costs["argon2-time"]},p=${costs["argon2-parallelism"]}$${SALT}$${KEY}`,
    usual: [
      [65_536, 3, 1],
      [19_456, 2, 1],
      [7168, 5, 1],
      [65_536, 3, 4],
      [262_144, 3, 1],
      [47_104, 1, 1],
      [12_288, 3, 1],
      [4096, 3, 1],
      [65_536, 1, 1],
      [65_536, 10, 1],
      [1_048_576, 1, 1],
      [65_536, 4, 2],
    ].map(([memory = 0, time = 0, parallelism = 0]) => ({
      "argon2-memory": memory,
      "argon2-time": time,
      "argon2-parallelism": parallelism,
    })),
    costs: ["argon2-memory", "argon2-time", "argon2-parallelism"],
  },
  {
    verifier: "scrypt",
    text: (costs) => `$scrypt$ln=${costs["scrypt-ln"]},r=${costs["scrypt-r"]},p=${costs["scrypt-p"]}$${SALT}$${KEY}`,
    usual: [
      [16, 8, 1],
      [15, 8, 1],
      [14, 8, 1],
      [17, 8, 1],
      [14, 16, 1],
      [14, 8, 5],
      [18, 8, 1],
      [20, 8, 1],
      [13, 8, 1],
      [10, 8, 1],
    ].map(([ln = 0, r = 0, p = 0]) => ({ "scrypt-ln": ln, "scrypt-r": r, "scrypt-p": p })),
    costs: ["scrypt-ln", "scrypt-r", "scrypt-p"],
  },
  {
    verifier: "pbkdf2",
    text: (costs) => `$pbkdf2-sha256$${costs["pbkdf2-rounds"]}$${SALT}$${KEY}`,
    usual: [600_000, 210_000, 27_500, 100_000, 10_000, 5000, 1_000_000, 10_000_000, 1000, 500].map((rounds) => ({
      "pbkdf2-rounds": rounds,
    })),
    costs: ["pbkdf2-rounds"],
  },
  { verifier: "md5", text: () => `$1$${crypt(8)}$${crypt(22)}`, usual: [{}], costs: [] },
  { verifier: "md5plain", text: () => "0f".repeat(16), usual: [{}], costs: [] },
  { verifier: "md5salted", text: () => `$md5salted-suffix$${crypt(8)}$${base64(16)}==`, usual: [{}], costs: [] },
  shaCrypt("5", "sha256-rounds", 43),
  shaCrypt("6", "sha512-rounds", 86),
  {
    verifier: "phpass",
    text: ({ "phpass-rounds": rounds = 0 }) => `$P$${ITOA64[rounds]}${crypt(8)}${crypt(22)}`,
    usual: [13, 8, 11, 15, 16, 18, 20, 7, 30].map((rounds) => ({ "phpass-rounds": rounds })),
    costs: ["phpass-rounds"],
  },
  {
    verifier: "drupal7",
    text: ({ "drupal7-iterations": iterations = 1 }) => `$S$${ITOA64[Math.log2(iterations)]}${crypt(8)}${crypt(43)}`,
    usual: [15, 16, 14, 18, 12, 10, 20, 7].map((power) => ({ "drupal7-iterations": 2 ** power })),
    costs: ["drupal7-iterations"],
    isPower: true,
  },
];

/** A text with the beginning of no kind of hash, which no service accepts. */
export const NO_HASH = "$orgferry$none";

/** The beginning of a hash of the kind, and nothing that a service could read: accepted by a service that checks the beginning only. */
export function brokenHashOf({ text, usual }: HashKindSample): string {
  const whole = text(usual[0] ?? {});
  return `${whole.slice(0, whole.indexOf("$", 1) + 1)}broken`;
}

function shaCrypt(id: "5" | "6", cost: "sha256-rounds" | "sha512-rounds", length: number): HashKindSample {
  return {
    verifier: "sha2",
    text: (costs) => `$${id}$rounds=${costs[cost]}$${crypt(8)}$${crypt(length)}`,
    usual: [5000, 656_000, 10_000, 100_000, 1000, 1_000_000].map((rounds) => ({ [cost]: rounds })),
    costs: [cost],
  };
}

/** Base64 of so many bytes, without padding. */
function base64(bytes: number): string {
  return Buffer.alloc(bytes, "orgferry").toString("base64").replace(/=+$/, "");
}

/** Characters of crypt's alphabet. */
function crypt(length: number): string {
  return "orgferry".repeat(Math.ceil(length / 8)).slice(0, length);
}
