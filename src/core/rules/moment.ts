const ISO = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d(?::?\d\d)?)?)?$/;

/**
 * Milliseconds since 1970 of an ISO 8601 moment, or undefined. Without a zone it is UTC, so that the same file gives the same
 * bytes on every machine.
 */
export function parseMoment(text: string): number | undefined {
  const [, day, time = "00:00", zone = "Z"] = ISO.exec(text) ?? [];
  if (day === undefined) return undefined;
  const minutes = zone.length > 3 ? zone.slice(-2) : "00";
  const ms = Date.parse(`${day}T${time}${zone === "Z" ? zone : `${zone.slice(0, 3)}:${minutes}`}`);
  return Number.isNaN(ms) ? undefined : ms;
}

/** True when the first RFC 3339 moment is after the second one; they may be finer than a millisecond. */
export function isLater(moment: string, other: string): boolean {
  const [ms, otherMs] = [Date.parse(moment), Date.parse(other)];
  return ms === otherMs ? fractionOf(moment) > fractionOf(other) : ms > otherMs;
}

/** The fraction of a second, filled up so that two of them compare as texts. */
function fractionOf(moment: string): string {
  return (/\.(\d+)/.exec(moment)?.[1] ?? "").padEnd(9, "0");
}
