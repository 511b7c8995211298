const ZERO = 0x30;
const ZEROS = 0x3030;
const HYPHEN = 0x2d;
const COLON = 0x3a;
const DOT = 0x2e;
const T = 0x54;
const Z = 0x5a;
const NONE = -1;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;
const DAY_MS = 86_400_000;

/**
 * Milliseconds since 1970 of `YYYY-MM-DDTHH:MM:SS.mmmZ` or `…SSZ`, the forms of nearly all rows, or undefined: any other form is
 * for `parseMoment`.
 */
export function plainMoment(view: DataView, start: number, end: number): number | undefined {
  const length = end - start;
  if (length !== 24 && length !== 20) return undefined;
  if (view.getUint8(start + 4) !== HYPHEN || view.getUint8(start + 7) !== HYPHEN) return undefined;
  if (view.getUint8(start + 10) !== T || view.getUint8(start + 13) !== COLON || view.getUint8(start + 16) !== COLON)
    return undefined;
  if (view.getUint8(end - 1) !== Z) return undefined;
  const century = twoDigits(view, start);
  const ofCentury = twoDigits(view, start + 2);
  const month = twoDigits(view, start + 5);
  const day = twoDigits(view, start + 8);
  const hour = twoDigits(view, start + 11);
  const minute = twoDigits(view, start + 14);
  const second = twoDigits(view, start + 17);
  const milli = length === 24 ? milliseconds(view, start + 19) : 0;
  const year = century * 100 + ofCentury;
  // What is no number is NONE, which makes the smallest number negative.
  if (Math.min(century, ofCentury, hour, minute, second, milli) < 0) return undefined;
  if (year < 1000 || month < 1 || month > 12 || day < 1 || day > daysOf(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  return daysSince1970(year, month, day) * DAY_MS + hour * 3_600_000 + minute * 60_000 + second * 1_000 + milli;
}

/** NONE when one of the two bytes is no digit. */
function twoDigits(view: DataView, at: number): number {
  const both = view.getUint16(at, true) - ZEROS;
  const tens = both & 0xff;
  const ones = both >> 8;
  return tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : NONE;
}

/** Of `.mmm`. */
function milliseconds(view: DataView, at: number): number {
  const tens = twoDigits(view, at + 1);
  const ones = view.getUint8(at + 3) - ZERO;
  return view.getUint8(at) === DOT && tens >= 0 && ones >= 0 && ones <= 9 ? tens * 10 + ones : NONE;
}

function isLeap(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}

function daysOf(year: number, month: number): number {
  return month === 2 && isLeap(year) ? 29 : (DAYS[month - 1] as number);
}

/** Counts in years that begin in March, so that the leap day is the last. */
function daysSince1970(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  return y * 365 + Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400) + dayOfYear - 719_468;
}
