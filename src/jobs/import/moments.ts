/** True when the first RFC 3339 moment is after the second one; they may be finer than a millisecond. */
export function isLater(moment: string, other: string): boolean {
  const [ms, otherMs] = [Date.parse(moment), Date.parse(other)];
  return ms === otherMs ? fractionOf(moment) > fractionOf(other) : ms > otherMs;
}

/** The fraction of a second, filled up so that two of them compare as texts. */
function fractionOf(moment: string): string {
  return (/\.(\d+)/.exec(moment)?.[1] ?? "").padEnd(9, "0");
}
