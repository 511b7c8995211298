/** Shorter secrets are not looked for: their letters would be found in every text. */
const MIN_LENGTH = 6;

/** Part of a text, by places of its characters. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Finds what must not be shown. */
export interface Finder {
  /** Where it stands in a text; spans may overlap. */
  find(text: string): Span[];
}

/**
 * Secrets to be found in texts, in upper or lower case, in time that depends on the text alone, however many there are: they stand under
 * their first characters, and under these by their lengths, since thousands of hashes begin alike.
 */
export class KnownSecrets implements Finder {
  readonly #byBeginning = new Map<string, Map<number, Set<string>>>();

  add(secret: string): void {
    const value = folded(secret);
    if (value.length < MIN_LENGTH) return;
    const beginning = value.slice(0, MIN_LENGTH);
    const byLength = this.#byBeginning.get(beginning) ?? new Map<number, Set<string>>();
    this.#byBeginning.set(beginning, byLength);
    const values = byLength.get(value.length) ?? new Set();
    byLength.set(value.length, values.add(value));
  }

  /** True when a secret stands in one of these texts. */
  isIn(texts: readonly string[]): boolean {
    return texts.some((text) => this.find(text).length > 0);
  }

  find(text: string): Span[] {
    if (this.#byBeginning.size === 0) return [];
    const value = folded(text);
    const spans: Span[] = [];
    for (let start = 0; start + MIN_LENGTH <= value.length; start += 1) {
      const byLength = this.#byBeginning.get(value.slice(start, start + MIN_LENGTH));
      if (byLength === undefined) continue;
      // One secret may be the beginning of another.
      for (const [length, values] of byLength) {
        if (values.has(value.slice(start, start + length))) spans.push({ start, end: start + length });
      }
    }
    return spans;
  }
}

const NOT_ASCII = /[^\0-\x7f]/;

/** Letters of ASCII in one case; the text keeps its length, which lower case of other letters may not leave it. */
function folded(text: string): string {
  if (!NOT_ASCII.test(text)) return text.toLowerCase();
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
