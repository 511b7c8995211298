import { parseDurationMs } from "../../../contract/duration.ts";

/** Milliseconds of a Go duration, or undefined. */
export const goDurationMs = parseDurationMs;

/** What Go says about a text that is no duration (service behaviour 0.10; recordings 50–52). */
export function durationFault(text: string): string {
  const quoted = JSON.stringify(text);
  const rest = text.replace(/^[+-]/, "").replace(/^(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+/, "");
  const [number = "", unit = ""] = /^(\d+\.?\d*|\.\d+)?([^\d.]*)/.exec(rest)?.slice(1) ?? [];
  if (number !== "" && unit === "") return `time: missing unit in duration ${quoted}`;
  if (number !== "") return `time: unknown unit ${JSON.stringify(unit)} in duration ${quoted}`;
  return `time: invalid duration ${quoted}`;
}
