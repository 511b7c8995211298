/** A set of whole numbers, kept as ranges in order: cheap while what is added is mostly contiguous. */
export class RangeSet {
  readonly #ranges: { from: number; to: number }[] = [];

  /** Adds `from` to `to`, both included. */
  add(from: number, to: number): void {
    const ranges = this.#ranges;
    const at = this.#firstEndingFrom(from - 1);
    let end = at;
    let merged = { from, to };
    for (let next = ranges[end]; next !== undefined && next.from <= to + 1; next = ranges[end]) {
      merged = { from: Math.min(merged.from, next.from), to: Math.max(merged.to, next.to) };
      end += 1;
    }
    ranges.splice(at, end - at, merged);
  }

  /** The ranges in order, both ends included. */
  ranges(): [from: number, to: number][] {
    return this.#ranges.map(({ from, to }) => [from, to]);
  }

  /** What is in this set and not in the other one, as ranges. */
  without(other: RangeSet): [from: number, to: number][] {
    const left = new RangeSet();
    for (const { from, to } of this.#ranges) {
      let next = from;
      for (let at = other.#firstEndingFrom(from); ; at += 1) {
        const gone = other.#ranges[at];
        const end = gone === undefined ? to : Math.min(gone.from - 1, to);
        if (next <= end) left.add(next, end);
        if (gone === undefined || gone.to >= to) break;
        next = gone.to + 1;
      }
    }
    return left.ranges();
  }

  /** What is in the set between two numbers, both included, as ranges. */
  within(from: number, to: number): [from: number, to: number][] {
    const found: [number, number][] = [];
    for (let at = this.#firstEndingFrom(from); ; at += 1) {
      const range = this.#ranges[at];
      if (range === undefined || range.from > to) return found;
      found.push([Math.max(range.from, from), Math.min(range.to, to)]);
    }
  }

  get isEmpty(): boolean {
    return this.#ranges.length === 0;
  }

  has(value: number): boolean {
    return this.covers(value, 1);
  }

  /** True when all of the `count` numbers from `first` are in the set. */
  covers(first: number, count: number): boolean {
    const range = this.#ranges[this.#firstEndingFrom(first)];
    return range !== undefined && range.from <= first && range.to >= first + count - 1;
  }

  /** True when any of the `count` numbers from `first` is in the set. */
  intersects(first: number, count: number): boolean {
    const range = this.#ranges[this.#firstEndingFrom(first)];
    return range !== undefined && range.from < first + count;
  }

  /** Index of the first range that ends at `value` or after it. */
  #firstEndingFrom(value: number): number {
    let low = 0;
    let high = this.#ranges.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#ranges[middle] as { to: number }).to < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
