import { createValueScan } from "./value-scan.ts";

/** No value of a row, a body or an export comes near it. What is nested much deeper can be parsed and not be written again. */
export const MAX_DEPTH = 1_000;

/** True for one JSON value that is nested more than MAX_DEPTH levels. A short value is not scanned, so it costs nothing. */
export function isTooDeep(bytes: Buffer): boolean {
  if (bytes.length <= MAX_DEPTH) return false;
  const scan = createValueScan(MAX_DEPTH);
  if (scan.begin(bytes[0] as number)) scan.advance(bytes, 0); // it is not empty
  return scan.isTooDeep;
}
