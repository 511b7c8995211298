/** Something that must never be. */
export interface Finding {
  readonly trial: string;
  readonly seed: number;
  readonly what: string;
  /** What led to it. */
  readonly story: readonly string[];
}

/** What one trial notices. */
export class Notes {
  readonly what: string[] = [];
  /** How much befell the program, by kind: "faults", "kills", … */
  readonly befell = new Map<string, number>();

  /** Counts what was done to the program. */
  count(kind: string, times = 1): void {
    if (times > 0) this.befell.set(kind, (this.befell.get(kind) ?? 0) + times);
  }

  /** Notes it down unless it holds. */
  expect(holds: boolean, otherwise: string): void {
    if (!holds) this.what.push(otherwise);
  }
}
