import type { HashCost } from "../../src/contract/hash-limits.ts";

const ITOA64 = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** The costs in a hash, read independently of how the samples write them. */
export function costsOf(hash: string): Partial<Record<HashCost, number>> {
  const of = (name: string): number => Number(new RegExp(`[$,]${name}=(\\d+)`).exec(hash)?.[1]);
  const power = ITOA64.indexOf(hash[3] ?? "");
  if (hash.startsWith("$2")) return { bcrypt: Number(hash.slice(4, 6)) };
  if (hash.startsWith("$argon2"))
    return { "argon2-memory": of("m"), "argon2-time": of("t"), "argon2-parallelism": of("p") };
  if (hash.startsWith("$scrypt")) return { "scrypt-ln": of("ln"), "scrypt-r": of("r"), "scrypt-p": of("p") };
  if (hash.startsWith("$pbkdf2")) return { "pbkdf2-rounds": Number(hash.split("$")[2]) };
  if (hash.startsWith("$5$")) return { "sha256-rounds": of("rounds") };
  if (hash.startsWith("$6$")) return { "sha512-rounds": of("rounds") };
  if (hash.startsWith("$P$")) return { "phpass-rounds": power };
  return hash.startsWith("$S$") ? { "drupal7-iterations": 2 ** power } : {};
}
