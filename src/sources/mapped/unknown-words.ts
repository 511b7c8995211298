import type { UnknownColumn } from "../../core/merge/reading.ts";

/** A column with more texts than this has no words, but perhaps names of people. */
const MOST_WORDS = 20;
const MOST_NAMED = 5;
/** Longer texts are no words, and one with an @ may be an address. `--value` takes no = in a text. */
const WORD = /^[^@=]{1,20}$/;
/** Of longer texts, no more is kept. */
const KEPT_LENGTH = 21;

interface Found {
  readonly field: string;
  readonly texts: Set<string>;
}

/** The texts in columns of words whose meaning is not known. */
export class UnknownWords {
  readonly #columns = new Map<string, Found>();

  add(field: string, column: string, text: string): void {
    const known = this.#columns.get(column) ?? { field, texts: new Set() };
    this.#columns.set(column, known);
    if (known.texts.size <= MOST_WORDS) known.texts.add(text.toLowerCase().slice(0, KEPT_LENGTH));
  }

  get columns(): readonly UnknownColumn[] {
    return [...this.#columns].map(([column, { field, texts }]) => {
      const words = texts.size > MOST_WORDS ? [] : [...texts].filter((text) => WORD.test(text));
      return {
        column,
        field,
        words: words.slice(0, MOST_NAMED),
        others: texts.size - Math.min(words.length, MOST_NAMED),
      };
    });
  }
}
