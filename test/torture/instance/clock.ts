/** The clock of an instance: time passes only when a trial says so, and a little with each look at it. */
export class Clock {
  #ms = Date.parse("2026-03-01T08:00:00.000Z");
  readonly #stepMs: number;

  constructor(stepMs: number) {
    this.#stepMs = stepMs;
  }

  readonly now = (): Date => {
    this.#ms += this.#stepMs;
    return new Date(this.#ms);
  };

  /** The time as a Date header. */
  get date(): string {
    return new Date(this.#ms).toUTCString();
  }

  pass(ms: number): void {
    this.#ms += ms;
  }
}
