const ZERO = 0x30;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;
const DAY_MS = 86_400_000;

/**
 * Milliseconds since 1970 of `YYYY-MM-DDTHH:MM:SS.mmmZ` or `…SSZ`, the forms of nearly all rows, or undefined: any other form is
 * for `parseMoment`.
 */
export function plainMoment(bytes: Uint8Array, start: number, end: number): number | undefined {
  const length = end - start;
  if (length !== 24 && length !== 20) return undefined;
  if (bytes[start + 4] !== 0x2d || bytes[start + 7] !== 0x2d || bytes[start + 10] !== 0x54) return undefined;
  if (bytes[start + 13] !== 0x3a || bytes[start + 16] !== 0x3a || bytes[end - 1] !== 0x5a) return undefined;
  const year = digits(bytes, start, 2) * 100 + digits(bytes, start + 2, 2);
  const month = digits(bytes, start + 5, 2);
  const day = digits(bytes, start + 8, 2);
  const hour = digits(bytes, start + 11, 2);
  const minute = digits(bytes, start + 14, 2);
  const second = digits(bytes, start + 17, 2);
  if (length === 24 && bytes[start + 19] !== 0x2e) return undefined;
  const milli = length === 24 ? digits(bytes, start + 20, 3) : 0;
  // A byte that is no digit made its number NaN, and no comparison with NaN holds.
  const isMoment = month >= 1 && month <= 12 && day >= 1 && hour <= 23 && minute <= 59 && second <= 59 && milli <= 999;
  if (!isMoment || !(year >= 1000) || day > daysOf(year, month)) return undefined;
  return daysSince1970(year, month, day) * DAY_MS + hour * 3_600_000 + minute * 60_000 + second * 1_000 + milli;
}

function digits(bytes: Uint8Array, at: number, count: number): number {
  let value = 0;
  for (let digit = at; digit < at + count; digit += 1) {
    const one = (bytes[digit] as number) - ZERO;
    if (one < 0 || one > 9) return Number.NaN;
    value = value * 10 + one;
  }
  return value;
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
