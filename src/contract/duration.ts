const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1e3,
  m: 60e3,
  h: 3600e3,
};
const PART = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/y;

/**
 * Milliseconds of a Go duration (`30s`, `5m0s`, `1h30m`, `1.5h`, `500ms`, `0`), or undefined when `time.ParseDuration` would refuse it.
 * spec: Limits, "timeout field format". A bare number other than 0 has no unit and is refused, as Go does (service behaviour 2.4).
 */
export function parseDurationMs(text: string): number | undefined {
  const sign = text.startsWith("-") ? -1 : 1;
  const rest = text.replace(/^[+-]/, "");
  if (rest === "0") return 0;
  if (rest === "") return undefined;
  let total = 0;
  PART.lastIndex = 0;
  while (PART.lastIndex < rest.length) {
    const part = PART.exec(rest);
    if (part === null) return undefined;
    total += Number(part[1]) * (UNIT_MS[part[2] as string] as number);
  }
  // Go's time.Duration is an int64 of nanoseconds: about 292 years.
  return total * 1e6 > Number.MAX_SAFE_INTEGER * 1024 ? undefined : sign * total;
}
