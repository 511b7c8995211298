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
