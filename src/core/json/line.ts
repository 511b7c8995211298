/** One line of NDJSON. */
export function jsonLine(value: object): string {
  return `${JSON.stringify(value)}\n`;
}
