/** The service's timestamp for a moment that was never set. */
const NEVER = "0001-01-01T00:00:00Z";

/** RFC 3339 in UTC of microseconds since 1970, with 0, 3 or 6 fractional digits, as protobuf JSON has it; undefined: never. */
export function timestampOf(at: number | undefined): string {
  if (at === undefined) return NEVER;
  const seconds = new Date(Math.floor(at / 1e6) * 1000).toISOString().slice(0, 19);
  const micros = (at % 1e6).toString().padStart(6, "0");
  const digits = micros === "000000" ? "" : `.${micros.replace(/000$/, "")}`;
  return `${seconds}${digits}Z`;
}

/** Microseconds since 1970, or undefined for an empty text. */
export function microsecondsOf(timestamp: string): number | undefined {
  if (timestamp === "") return undefined;
  const fraction = /\.(\d+)/.exec(timestamp)?.[1] ?? "";
  const wholeSeconds = Date.parse(timestamp.replace(/\.\d+/, ""));
  return wholeSeconds * 1000 + Number(fraction.padEnd(6, "0").slice(0, 6));
}
