import { KeyIndex } from "../../tables/key-index.ts";
import { KeyTable } from "../../tables/key-table.ts";
import { PartMemory, type PartSettings, type PartStore } from "./part-store.ts";
import { partOfKey } from "./people-parts.ts";

/** Words of a name's key. */
const NAME_WORDS = 2;

/** Finds the names that several users have. Only those are kept in memory. */
export class NameParts {
  readonly #settings: PartSettings;
  readonly #names: PartStore;
  readonly #shared = new KeyTable({ stride: NAME_WORDS, words: NAME_WORDS });
  readonly #name = new Uint32Array(NAME_WORDS);

  constructor(settings: PartSettings) {
    this.#settings = settings;
    this.#names = settings.createStore();
  }

  add(keys: Uint32Array, at: number): void {
    this.#name[0] = keys[at] as number;
    this.#name[1] = keys[at + 1] as number;
    this.#names.append(partOfKey(keys, at, this.#settings.parts), this.#name, NAME_WORDS);
  }

  /** Call it after the last name. */
  async close(): Promise<void> {
    const memory = new PartMemory();
    for (let part = 0; part < this.#settings.parts; part += 1) {
      this.#find(memory.load(this.#names, part));
      await this.#settings.pause();
    }
    this.#names.remove();
  }

  /** True when the name was added more than once. */
  isShared(keys: Uint32Array, at: number): boolean {
    return this.#shared.find(keys, at) !== -1;
  }

  remove(): void {
    this.#names.remove();
  }

  #find(names: Uint32Array): void {
    const count = names.length / NAME_WORDS;
    const seen = new KeyIndex({ stride: NAME_WORDS, offset: 0, words: 2 }, count);
    for (let record = 0, at = 0; record < count; record += 1, at += NAME_WORDS) {
      if (seen.find(names, names, at) === -1) seen.put(names, record);
      else if (!this.isShared(names, at)) this.#shared.add(names, at);
    }
  }
}
