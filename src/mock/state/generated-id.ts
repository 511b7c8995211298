import { randomInt } from "node:crypto";

/** An id like the service's own: 18 digits. */
export function generatedId(): string {
  return `4${randomInt(0, 1e8).toString().padStart(8, "0")}${randomInt(0, 1e9).toString().padStart(9, "0")}`;
}
