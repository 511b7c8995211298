/**
 * A table of ids that remembers fingerprints instead of texts: at most 36 bytes an id. Two ids
 * share a fingerprint of 64 bits with a chance of one in ten million for a million ids.
 */
export class IdTable {
  #low = new Uint32Array(1024);
  #high = new Uint32Array(1024);
  /** 0 = free slot; otherwise the mark plus one. */
  #marks = new Uint8Array(1024);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Puts an id in with a mark from 0 to 254, or changes its mark. */
  set(id: string, mark: number): void {
    if ((this.#size + 1) * 2 > this.#marks.length) this.#grow();
    const [low, high] = fingerprint(id);
    const slot = this.#slot(low, high);
    if (this.#marks[slot] === 0) this.#size += 1;
    this.#low[slot] = low;
    this.#high[slot] = high;
    this.#marks[slot] = mark + 1;
  }

  /** The mark of an id, undefined when it is not in the table. */
  get(id: string): number | undefined {
    const [low, high] = fingerprint(id);
    const mark = this.#marks[this.#slot(low, high)] as number; // a slot is within the table
    return mark === 0 ? undefined : mark - 1;
  }

  #slot(low: number, high: number): number {
    const mask = this.#marks.length - 1;
    let slot = low & mask;
    while (this.#marks[slot] !== 0 && (this.#low[slot] !== low || this.#high[slot] !== high)) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const [low, high, marks] = [this.#low, this.#high, this.#marks];
    this.#low = new Uint32Array(marks.length * 2);
    this.#high = new Uint32Array(marks.length * 2);
    this.#marks = new Uint8Array(marks.length * 2);
    for (const [index, mark] of marks.entries()) {
      if (mark === 0) continue;
      const slot = this.#slot(low[index] as number, high[index] as number); // three arrays of one length
      this.#low[slot] = low[index] as number;
      this.#high[slot] = high[index] as number;
      this.#marks[slot] = mark;
    }
  }
}

/** Two 32-bit hashes of different make (FNV-1a and a multiplicative one), each mixed at the end. */
function fingerprint(id: string): readonly [number, number] {
  let low = 0x811c9dc5;
  let high = 0x9e3779b9;
  for (let at = 0; at < id.length; at += 1) {
    const code = id.charCodeAt(at);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high + code, 0x85ebca6b) ^ (high >>> 13);
  }
  return [mixed(low), mixed(high)];
}

function mixed(hash: number): number {
  const once = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  const twice = Math.imul(once ^ (once >>> 15), 0x846ca68b);
  return (twice ^ (twice >>> 16)) >>> 0;
}
