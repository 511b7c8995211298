/** Something that must never be. */
export interface Finding {
  readonly trial: string;
  readonly seed: number;
  readonly what: string;
  /** What led to it, for whoever looks into it. */
  readonly story: readonly string[];
}

/** What one trial notices. */
export class Notes {
  readonly what: string[] = [];

  /** Notes it down unless it holds. */
  expect(holds: boolean, otherwise: string): void {
    if (!holds) this.what.push(otherwise);
  }
}
