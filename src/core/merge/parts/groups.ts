import { KeyTable } from "../../tables/key-table.ts";

/** Words of a member: its label, and the number of the member that stands for it, itself at first. */
const STRIDE = 3;
const LEADER = 2;

/**
 * Labels (two words each) that belong together, because some row or some id has both of them. Only those are kept that belong to any
 * other, which are few where the files agree.
 */
export class Groups {
  readonly #members = new KeyTable({ stride: STRIDE, words: 2 });

  get isEmpty(): boolean {
    return this.#members.size === 0;
  }

  /** Puts the groups of two labels together. */
  unite(first: Uint32Array, firstAt: number, second: Uint32Array, secondAt: number): void {
    const a = this.#leaderOf(this.#memberOf(first, firstAt));
    const b = this.#leaderOf(this.#memberOf(second, secondAt));
    this.#members.records[Math.max(a, b) * STRIDE + LEADER] = Math.min(a, b);
  }

  /** The number of the label's group, the same for all of its labels; -1 when it belongs to no other. */
  find(label: Uint32Array, at: number): number {
    const member = this.#members.find(label, at);
    return member === -1 ? -1 : this.#leaderOf(member);
  }

  #memberOf(label: Uint32Array, at: number): number {
    const known = this.#members.find(label, at);
    if (known !== -1) return known;
    const member = this.#members.add(label, at);
    this.#members.records[member * STRIDE + LEADER] = member;
    return member;
  }

  /** Every member on the way is brought halfway nearer, so that ways stay short. */
  #leaderOf(member: number): number {
    const members = this.#members.records;
    let at = member;
    for (;;) {
      const leader = members[at * STRIDE + LEADER] as number;
      if (leader === at) return at;
      const next = members[leader * STRIDE + LEADER] as number;
      members[at * STRIDE + LEADER] = next;
      at = next;
    }
  }
}
