import { createHash, randomInt } from "node:crypto";

/** An id like the service's own: 18 digits. */
export function generatedId(): string {
  return `4${randomInt(0, 1e8).toString().padStart(8, "0")}${randomInt(0, 1e9).toString().padStart(9, "0")}`;
}

/** The id that always stands for a text, of the same form. */
export function idFrom(text: string): string {
  const digest = createHash("sha256").update(text).digest();
  return `4${(digest.readBigUInt64BE() % 10n ** 17n).toString().padStart(17, "0")}`;
}
