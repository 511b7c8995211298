/** Shorter secrets are not searched: they would match in ordinary texts. */
const MIN_LENGTH = 6;

/** A part of a text, by character positions. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Finds texts that must not be shown. */
export interface Finder {
  /** The positions in a text; spans may overlap. */
  find(text: string): Span[];
}

/**
 * Finds known secrets in texts, in upper or lower case. The time depends only on the text: secrets are indexed by their first characters
 * and, since thousands of hashes begin with the same ones, by their length.
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

  /** True if one of these texts has a secret. */
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

/** Converts ASCII letters to lower case. Lower case of other letters might change the length of the text. */
function folded(text: string): string {
  if (!NOT_ASCII.test(text)) return text.toLowerCase();
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
