import { KeyIndex } from "../../tables/key-index.ts";

/** Words of a member: its label, and the number of the member that stands for it, itself at first. */
const STRIDE = 3;
const LEADER = 2;

/**
 * Labels (two words each) that belong together, because some row or some id has both of them. Only those are kept that belong to any
 * other, which are few where the files agree.
 */
export class Groups {
  readonly #index = new KeyIndex({ stride: STRIDE, offset: 0, words: 2 }, 0);
  #members = new Uint32Array(1024 * STRIDE);
  #count = 0;

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** Puts the groups of two labels together. */
  unite(first: Uint32Array, firstAt: number, second: Uint32Array, secondAt: number): void {
    const a = this.#leaderOf(this.#memberOf(first, firstAt));
    const b = this.#leaderOf(this.#memberOf(second, secondAt));
    this.#members[Math.max(a, b) * STRIDE + LEADER] = Math.min(a, b);
  }

  /** The number of the label's group, the same for all of its labels; -1 when it belongs to no other. */
  find(label: Uint32Array, at: number): number {
    if (this.#count === 0) return -1;
    const member = this.#index.find(this.#members, label, at);
    return member === -1 ? -1 : this.#leaderOf(member);
  }

  #memberOf(label: Uint32Array, at: number): number {
    const known = this.#index.find(this.#members, label, at);
    if (known !== -1) return known;
    if ((this.#count + 1) * STRIDE > this.#members.length) this.#grow();
    const member = this.#count;
    this.#count += 1;
    this.#members[member * STRIDE] = label[at] as number;
    this.#members[member * STRIDE + 1] = label[at + 1] as number;
    this.#members[member * STRIDE + LEADER] = member;
    this.#index.put(this.#members, member);
    return member;
  }

  /** Every member on the way is brought halfway nearer, so that ways stay short. */
  #leaderOf(member: number): number {
    const members = this.#members;
    let at = member;
    for (;;) {
      const leader = members[at * STRIDE + LEADER] as number;
      if (leader === at) return at;
      const next = members[leader * STRIDE + LEADER] as number;
      members[at * STRIDE + LEADER] = next;
      at = next;
    }
  }

  #grow(): void {
    const grown = new Uint32Array(this.#members.length * 2);
    grown.set(this.#members);
    this.#members = grown;
  }
}
