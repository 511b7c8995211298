/** The timeline keeps at most twice this number of points. */
const KEPT_POINTS = 120;

/** The progress of a run over time, with as many points as a chart needs, for a run of any length. */
export class Timeline {
  #points: (readonly [ms: number, done: number])[] = [];
  #latest: readonly [ms: number, done: number] | undefined;
  #spacingMs = 0;

  /** Adds a point: `done` items after `ms` milliseconds. Cheap: most calls keep nothing. */
  add(ms: number, done: number): void {
    this.#latest = [ms, done];
    const last = this.#points.at(-1);
    if (last !== undefined && ms - last[0] <= this.#spacingMs) return;
    this.#points.push(this.#latest);
    if (this.#points.length < 2 * KEPT_POINTS) return;
    this.#points = this.#points.filter((_, at) => at % 2 === 0);
    this.#spacingMs = ms / KEPT_POINTS;
  }

  /** The points in order, including the first and the latest; empty with fewer than two. */
  points(): readonly (readonly [ms: number, done: number])[] {
    const latest = this.#latest;
    const points = latest === undefined || latest === this.#points.at(-1) ? this.#points : [...this.#points, latest];
    return points.length < 2 ? [] : points;
  }
}
