import { setImmediate } from "node:timers/promises";
import type { PartSettings, PartStore } from "../core/merge/parts/part-store.ts";
import type { CleanUp } from "./clean-up.ts";
import { EncryptedSpool } from "./encrypted-spool.ts";

/** Words of a part that are collected before they are written, unless somebody wants it otherwise. */
const CHUNK_WORDS = 2 ** 13;
const WORD_BYTES = 4;

interface Part {
  /** What is not written yet: the first `used` words. */
  filling: Uint32Array;
  used: number;
  /** How many words there are in all. */
  words: number;
  /** Where in the file the chunks of the part are. */
  readonly chunks: { readonly position: number; readonly words: number }[];
}

/** The parts of a store, in one encrypted file; what is small stays in memory. */
export class PartFile implements PartStore {
  readonly #cleanUp: CleanUp;
  readonly #chunkWords: number;
  readonly #parts: Part[] = [];
  #spool: EncryptedSpool | undefined;

  constructor(cleanUp: CleanUp, chunkWords: number) {
    this.#cleanUp = cleanUp;
    this.#chunkWords = chunkWords;
  }

  append(number: number, words: Uint32Array, count: number): void {
    this.#parts[number] ??= { filling: new Uint32Array(this.#chunkWords), used: 0, words: 0, chunks: [] };
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
    for (const { position, words } of part.chunks) {
      this.#spool?.readNow(position, bytesOf(into.subarray(at, at + words)));
      at += words;
    }
    into.set(part.filling.subarray(0, part.used), at);
  }

  remove(): void {
    this.#spool?.remove();
    this.#spool = undefined;
    this.#parts.length = 0;
  }

  #write(part: Part): void {
    if (part.used === 0) return;
    this.#spool ??= new EncryptedSpool(this.#cleanUp);
    part.chunks.push({ position: this.#spool.bytes, words: part.used });
    this.#spool.write(bytesOf(part.filling.subarray(0, part.used)));
    part.used = 0;
  }
}

/** A join in so many parts, in the folder for temporary files. */
export function partFiles(
  { parts, chunkWords = CHUNK_WORDS }: { readonly parts: number; readonly chunkWords?: number },
  cleanUp: CleanUp,
  signal: AbortSignal,
): PartSettings {
  return {
    parts,
    createStore: () => new PartFile(cleanUp, chunkWords),
    async pause() {
      await setImmediate();
      signal.throwIfAborted();
    },
  };
}

function bytesOf(words: Uint32Array): Buffer {
  return Buffer.from(words.buffer, words.byteOffset, words.length * WORD_BYTES);
}
