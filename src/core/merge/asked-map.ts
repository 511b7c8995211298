/** A map that knows which of its keys were asked for, such as the names in a flag that some user has. */
export class AskedMap<Value> extends Map<string, Value> {
  readonly #asked = new Set<string>();

  override get(key: string): Value | undefined {
    if (super.has(key)) this.#asked.add(key);
    return super.get(key);
  }

  /** The keys that nothing asked for. */
  get unasked(): readonly string[] {
    return [...this.keys()].filter((key) => !this.#asked.has(key));
  }
}
