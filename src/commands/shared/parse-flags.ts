import { InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { parseDurationMs } from "../../contract/duration.ts";

/** `--timeout <duration>`: the value is checked here and kept as written. */
export function timeoutOption(description: string) {
  return new Option("--timeout <duration>", description).argParser(parseTimeout);
}

/** A Go duration above zero, as written. Raises commander's InvalidArgumentError. */
export function parseTimeout(text: string): string {
  const ms = parseDurationMs(text);
  if (ms === undefined) {
    throw new InvalidArgumentError("It must be a duration with a unit, such as 30s, 5m0s or 1h30m.");
  }
  if (ms <= 0) throw new InvalidArgumentError("It must be longer than 0.");
  return text;
}

/** Milliseconds of a Go duration, zero included. Raises commander's InvalidArgumentError. */
export function parseDuration(text: string): number {
  const ms = parseDurationMs(text);
  if (ms === undefined || ms < 0) {
    throw new InvalidArgumentError("It must be a duration with a unit, such as 30s, 2m or 0s.");
  }
  return ms;
}

const MAX_ID_LENGTH = 200;

/** An id: not blank (an unset variable of a script is), and no name. Raises commander's InvalidArgumentError. */
export function parseId(text: string): string {
  if (text.trim() === "") throw new InvalidArgumentError("It is empty.");
  if (/^https?:\/\//i.test(text))
    throw new InvalidArgumentError("It must be an id, and this is an address. Were the values of two flags swapped?");
  if (/\s/.test(text) || text.length > MAX_ID_LENGTH)
    throw new InvalidArgumentError(
      `It must be an id, without blanks and of at most ${MAX_ID_LENGTH} characters; orgferry doctor lists the organizations of an instance.`,
    );
  return text;
}

/** A whole number from 1. Raises commander's InvalidArgumentError. */
export function parseCount(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < 1) {
    throw new InvalidArgumentError("It must be a whole number from 1.");
  }
  return value;
}

/** A whole number from 1, or "auto". Raises commander's InvalidArgumentError. */
export function parseCountOrAuto(text: string): number | "auto" {
  if (text === "auto") return text;
  try {
    return parseCount(text);
  } catch {
    throw new InvalidArgumentError("It must be auto or a whole number from 1.");
  }
}

/** A number above 0. Raises commander's InvalidArgumentError. */
export function parseRate(text: string): number {
  const value = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || !(value > 0)) throw new InvalidArgumentError("It must be a number above 0.");
  return value;
}

/** A whole number from 0. Raises commander's InvalidArgumentError. */
export function parseWhole(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value)) {
    throw new InvalidArgumentError("It must be a whole number from 0.");
  }
  return value;
}

/** A TCP port, 0 for any free one. Raises commander's InvalidArgumentError. */
export function parsePort(text: string): number {
  const value = Number(text);
  if (!/^\d{1,5}$/.test(text) || value > 65_535) {
    throw new InvalidArgumentError("It must be a port from 0 to 65535; 0 is any free one.");
  }
  return value;
}

/** Units without the final B. */
const SIZE_UNITS: Readonly<Record<string, number>> = {
  "": 1,
  K: 1e3,
  M: 1e6,
  G: 1e9,
  KI: 2 ** 10,
  MI: 2 ** 20,
  GI: 2 ** 30,
};

/** Bytes of a size such as `3MiB`, `512Mi` or `500KB`. Raises commander's InvalidArgumentError. */
export function parseSize(text: string): number {
  const [, digits, unit = ""] = /^(\d+(?:\.\d+)?)(B|[KMG]i?B?)$/i.exec(text) ?? [];
  const bytes = Math.floor(Number(digits) * (SIZE_UNITS[unit.toUpperCase().replace(/B$/, "")] ?? Number.NaN));
  if (!(bytes >= 1)) throw new InvalidArgumentError("It must be a size with a unit, such as 3MiB or 500KB.");
  return bytes;
}
