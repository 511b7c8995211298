import { hash } from "node:crypto";

/** 64 bits of a value, as two words, under a key of one's own. */
export type Digest = readonly [number, number];

/**
 * Digests of values, so that neither a hash nor an address is kept: SHA-256 with a key before it, cut to 64 bits. Two values of a million
 * share one with a probability of 3e-8; nobody without the key can tell what they are of.
 */
export function createDigester(key: string): (field: string, value: string) => Digest {
  return (field, value) => {
    const bytes = hash("sha256", `${key}\u0000${field}\u0000${value}`, "buffer");
    return [bytes.readUInt32LE(0), bytes.readUInt32LE(4)];
  };
}
