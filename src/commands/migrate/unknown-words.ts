import { shellWord, shown } from "../../problem/format.ts";
import type { UnknownWord } from "../../problem.ts";
import { type ColumnWords, listedWords, meaningOfFirst } from "../../ui/summary/unknown-words.ts";

/** The most columns whose words are kept. */
const MOST_COLUMNS = 10;
/** A column with more different words than that is hardly one of states. */
const MOST_WORDS = 20;

/** The words that orgferry does not know, by the column that has them. */
export class UnknownWords {
  readonly #columns = new Map<string, Column>();

  /** Counts the word of a rejected row. */
  add(name: string, word: UnknownWord): void {
    let column = this.#columns.get(name);
    if (column === undefined) {
      if (this.#columns.size === MOST_COLUMNS) return;
      column = new Column(name, word);
      this.#columns.set(name, column);
    }
    column.add(word.text);
  }

  /** As the report has them; undefined without any. */
  reported(): readonly ColumnWords[] | undefined {
    return this.#columns.size === 0 ? undefined : [...this.#columns.values()].map((column) => column.reported());
  }

  /** What the words are, and the flag that explains them. */
  lines(): readonly string[] {
    return [...this.#columns.values()].map((column) => column.line());
  }
}

class Column {
  readonly #name: string;
  readonly #about: Omit<UnknownWord, "text">;
  /** By the word in lower case: `--value` does not tell them apart. */
  readonly #words = new Map<string, { readonly text: string; rows: number }>();
  #rows = 0;
  /** Why the column may be another one than it was read as: then no text of it is kept. */
  #doubt: "too many" | "no words" | undefined;

  constructor(name: string, { field, meanings }: UnknownWord) {
    this.#name = name;
    this.#about = { field, meanings };
  }

  add(text: UnknownWord["text"]): void {
    this.#rows += 1;
    if (this.#doubt !== undefined) return;
    if (text === undefined) {
      this.#drop("no words");
      return;
    }
    const word = text.toLowerCase();
    const known = this.#words.get(word);
    if (known !== undefined) known.rows += 1;
    else if (this.#words.size === MOST_WORDS) this.#drop("too many");
    else this.#words.set(word, { text, rows: 1 });
  }

  reported(): ColumnWords {
    const words = [...this.#words.values()].sort((a, b) => b.rows - a.rows);
    return { ...this.#about, column: this.#name, rows: this.#rows, words };
  }

  line(): string {
    const found = this.reported();
    const name = shown(this.#name);
    const example = `--value ${meaningOfFirst(found, shellWord)}`;
    if (this.#doubt === undefined)
      return `${name} has words that orgferry does not know: ${listedWords(found)}. Say what each means, the first with ${example}`;
    const what = this.#doubt === "too many" ? `more than ${MOST_WORDS} words` : "texts that are not words, and";
    return `${name} has ${what} that orgferry does not know (the rejected rows have them). Is it the right column for ${found.field}? If so, say what each word means with ${example}`;
  }

  #drop(doubt: "too many" | "no words"): void {
    this.#doubt = doubt;
    this.#words.clear();
  }
}
