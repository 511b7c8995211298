import { setImmediate } from "node:timers/promises";
import type { PartSettings, PartStore } from "../core/merge/parts/part-store.ts";
import type { CleanUp } from "./clean-up.ts";
import { Spool } from "./spool.ts";

/** Words of a part that are collected before they go to the spool. */
const CHUNK_WORDS = 2 ** 13;
const WORD_BYTES = 4;

/** One part of the store. */
interface StoredPart {
  /** The words after those in the spool: the first `used` of the array. */
  filling: Uint32Array;
  used: number;
  /** All words of the part. */
  words: number;
  readonly spooled: { readonly position: number; readonly words: number }[];
}

/** All parts of a store in one spool. */
class SpooledParts implements PartStore {
  readonly #spool: Spool;
  readonly #chunkWords: number;
  readonly #parts: StoredPart[] = [];

  constructor(cleanUp: CleanUp, chunkWords: number) {
    this.#spool = new Spool(cleanUp);
    this.#chunkWords = chunkWords;
  }

  append(number: number, words: Uint32Array, count: number): void {
    this.#parts[number] ??= { filling: new Uint32Array(this.#chunkWords), used: 0, words: 0, spooled: [] };
    const part = this.#parts[number];
    part.words += count;
    if (part.used + count > part.filling.length) {
      this.#write(part);
      if (count > part.filling.length) part.filling = new Uint32Array(count);
    }
    for (let word = 0, to = part.used; word < count; word += 1, to += 1) part.filling[to] = words[word] as number;
    part.used += count;
  }

  words(number: number): number {
    return this.#parts[number]?.words ?? 0;
  }

  read(number: number, into: Uint32Array): void {
    const part = this.#parts[number];
    if (part === undefined) return;
    let at = 0;
    for (const { position, words } of part.spooled) {
      this.#spool.readAt(position, bytesOf(into.subarray(at, at + words)));
      at += words;
    }
    into.set(part.filling.subarray(0, part.used), at);
  }

  remove(): void {
    this.#spool.remove();
    this.#parts.length = 0;
  }

  #write(part: StoredPart): void {
    if (part.used === 0) return;
    part.spooled.push({ position: this.#spool.bytes, words: part.used });
    this.#spool.append(bytesOf(part.filling.subarray(0, part.used)));
    part.used = 0;
  }
}

/** A join in this number of parts, in the folder for temporary files. */
export function partFiles(
  { parts, chunkWords = CHUNK_WORDS }: { readonly parts: number; readonly chunkWords?: number },
  cleanUp: CleanUp,
  signal: AbortSignal,
): PartSettings {
  return {
    parts,
    createStore: () => new SpooledParts(cleanUp, chunkWords),
    async pause() {
      await setImmediate();
      signal.throwIfAborted();
    },
  };
}

function bytesOf(words: Uint32Array): Buffer {
  return Buffer.from(words.buffer, words.byteOffset, words.length * WORD_BYTES);
}
