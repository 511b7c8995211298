/** At most twice as many points are kept. */
const KEPT_POINTS = 120;

/** How much was done when: as many points as a curve needs, however long a run takes. */
export class Timeline {
  #points: (readonly [ms: number, done: number])[] = [];
  #latest: readonly [ms: number, done: number] | undefined;
  #spacingMs = 0;

  /** That much was done after so many milliseconds. Cheap: most calls keep nothing. */
  add(ms: number, done: number): void {
    this.#latest = [ms, done];
    const last = this.#points.at(-1);
    if (last !== undefined && ms - last[0] <= this.#spacingMs) return;
    this.#points.push(this.#latest);
    if (this.#points.length < 2 * KEPT_POINTS) return;
    this.#points = this.#points.filter((_, at) => at % 2 === 0);
    this.#spacingMs = ms / KEPT_POINTS;
  }

  /** The points in order, the first and the latest among them; none when there is nothing to draw a line between. */
  points(): readonly (readonly [ms: number, done: number])[] {
    const latest = this.#latest;
    const points = latest === undefined || latest === this.#points.at(-1) ? this.#points : [...this.#points, latest];
    return points.length < 2 ? [] : points;
  }
}
