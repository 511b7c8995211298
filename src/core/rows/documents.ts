import type { RunProblem } from "../../problem.ts";

/** The elements of a list inside a JSON document, or inside each document of an array. */
export interface DocumentShape {
  readonly kind: "document";
  /** Keys that lead to the list. */
  readonly list: readonly string[];
  /** What distinguishes several documents: the rows of only one are read. */
  readonly name?: DocumentName;
  /** Other kinds of documents that are easily mistaken for this one, by one of their keys; looked for if no document has rows. */
  readonly strangers?: readonly { readonly has: string; readonly is: UnfitInput }[];
}

/** The key whose text names a document (also the word for one in messages), and the flag that chooses one by it. */
export interface DocumentName {
  readonly key: string;
  readonly flag: string;
}

/** An input that is not what was asked for. */
export interface UnfitInput {
  /** What it is: continues from "this is …". */
  readonly what: string;
  /** What to do instead, as a sentence. */
  readonly instead: string;
}

/** A document of an input as it turned out to be. */
export interface DocumentFacts {
  /** undefined: it has none. */
  readonly name: string | undefined;
  /** Elements of its list; undefined: it has no such list. */
  readonly elements: number | undefined;
  /** Its rows were read before its name was known. */
  readonly wasTakenUnnamed: boolean;
  /** Those of its keys that show another kind of document. */
  readonly keys: ReadonlySet<string>;
}

/**
 * The documents of all files of an input, such as the realms of an export: which of them rows are read from, and which problem to report when
 * that is not clear or there are none. One document at a time is begun and ended, in the order of the files.
 */
export class Documents {
  readonly shape: DocumentShape;
  /** The name of the one whose rows are wanted. */
  readonly #wanted: string | undefined;
  /** Elements by the name of their document, of those that have one. */
  readonly #elements = new Map<string, number>();
  /** Keys of documents without a list. */
  readonly #strangeKeys = new Set<string>();
  #taken = 0;
  #lacksList = false;
  #isLate = false;

  constructor(shape: DocumentShape, wanted: string | undefined) {
    this.shape = shape;
    this.#wanted = wanted;
  }

  /**
   * Whether the rows of a document are read. Those of a document without a name (yet) are: its end shows the name. Once another one
   * has had rows, and none was chosen, no more are read, since the run will be refused.
   */
  takes(name: string | undefined): boolean {
    if (name === undefined) return true;
    if (this.#wanted !== undefined) return name === this.#wanted;
    const others = this.#withElements().filter((other) => other !== name);
    return others.length === 0;
  }

  /** Takes note of a document that came to its end. */
  ended({ name, elements, wasTakenUnnamed, keys }: DocumentFacts): void {
    const isTaken = wasTakenUnnamed || this.takes(name);
    if (isTaken) this.#taken += elements ?? 0;
    if (elements === undefined) for (const key of keys) this.#strangeKeys.add(key);
    this.#lacksList ||= elements === undefined;
    if (name === undefined) return;
    if (wasTakenUnnamed && this.#wanted !== undefined && name !== this.#wanted) this.#isLate = true;
    this.#elements.set(name, (this.#elements.get(name) ?? 0) + (elements ?? 0));
  }

  /** What keeps the rows from being used, once every document came to its end. @param file as the user named the input. */
  problem(file: string): RunProblem | undefined {
    const { name: key, strangers = [] } = this.shape;
    const names = this.#withElements();
    if (key !== undefined && this.#isLate) return { code: "input.name-too-late", file, key: key.key };
    if (key !== undefined && this.#wanted !== undefined && this.#taken === 0 && names.length > 0) {
      return { code: "input.no-such-document", file, ...key, wanted: this.#wanted, documents: this.#listed() };
    }
    if (key !== undefined && this.#wanted === undefined && names.length > 1) {
      return { code: "input.several-documents", file, ...key, documents: this.#listed() };
    }
    if (this.#taken > 0) return undefined;
    const stranger = strangers.find(({ has }) => this.#strangeKeys.has(has));
    if (stranger !== undefined) return { code: "input.unfit", file, ...stranger.is };
    if (!this.#lacksList) return undefined;
    const what = `JSON without the list "${this.shape.list.join(".")}"`;
    return {
      code: "input.unfit",
      file,
      what,
      instead: "Is it the right file? JSON of other systems is read by orgferry migrate json.",
    };
  }

  #withElements(): readonly string[] {
    return [...this.#elements].filter(([, elements]) => elements > 0).map(([name]) => name);
  }

  #listed(): readonly { name: string; rows: number }[] {
    return this.#withElements().map((name) => ({ name, rows: this.#elements.get(name) ?? 0 }));
  }
}
