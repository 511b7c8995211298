import { hash } from "node:crypto";

/** 64 bits of a value, as two words, under a key. */
export type Digest = readonly [number, number];

/**
 * Digests of values, so that no hash and no address is kept: SHA-256 of a key and the value, cut to 64 bits. Two values of a million share a
 * digest with a probability of 3e-8. Without the key, a digest cannot be checked against a guessed value.
 */
export function createDigester(key: string): (field: string, value: string) => Digest {
  return (field, value) => {
    const bytes = hash("sha256", `${key}\u0000${field}\u0000${value}`, "buffer");
    return [bytes.readUInt32LE(0), bytes.readUInt32LE(4)];
  };
}
