import { ProblemError } from "../../problem.ts";
import { brokenProblem } from "../json/broken-problem.ts";
import { BrokenJson, createWalker, type JsonPath, type Layout, type Walker } from "../json/walker.ts";
import { isSpace } from "./line-splitter.ts";
import { type RowBlock, RowList, type Shape } from "./row-block.ts";

const OPEN_BRACKET = 0x5b;
const BLOCK_BYTES = 256 * 2 ** 10;

/**
 * Bytes in, blocks of whole rows out, for rows that are the elements of a list inside a document: `{"users":[…]}`, or an array of
 * such documents. Any size; what stands around the list is passed over. The rows of a block are copied out of the document.
 */
export class DocumentFramer {
  readonly shape: Shape = "document";
  readonly #file: string;
  readonly #list: string;
  readonly #input: Buffer;
  #rows = new RowList();
  #bytes = Buffer.allocUnsafe(BLOCK_BYTES * 2);
  #length = 0;
  #walker: Walker | undefined;
  /** Bytes read before the first that is no white space, which tells what the document is. */
  #beginning: Buffer[] = [];
  /** What ends the input early, once the rows before it have been taken. */
  #fault: BrokenJson | undefined;

  /** @param list key of the list whose elements are the rows. */
  constructor(file: string, list: string, blockBytes = BLOCK_BYTES) {
    this.#file = file;
    this.#list = list;
    this.#input = Buffer.allocUnsafe(blockBytes);
  }

  /** Raises input.malformed, input.unclosed or input.row-too-long when the document broke behind the rows of the last block. */
  check(): void {
    if (this.#fault !== undefined) {
      throw new ProblemError(brokenProblem(this.#fault, this.#file), { cause: this.#fault });
    }
  }

  /** Where the next bytes go. Raises what `check` raises. */
  free(): Buffer {
    this.check();
    return this.#input;
  }

  /** Takes the first `length` bytes of `free()` and returns the rows they complete. */
  filled(length: number): RowBlock {
    this.#clear();
    const chunk = this.#input.subarray(0, length);
    this.#guard(() => {
      this.#walker ??= this.#begin(chunk);
      this.#walker?.push(chunk);
    });
    return this.#block();
  }

  /** The rows that end with the input. `check` says whether it ended as it should. */
  end(): RowBlock {
    this.#clear();
    this.#guard(() => this.#walker?.end());
    return this.#block();
  }

  /** A walker that has seen everything before the chunk; undefined while nothing but white space came. */
  #begin(chunk: Buffer): Walker | undefined {
    const first = chunk.find((byte) => !isSpace(byte));
    if (first === undefined) {
      this.#beginning.push(Buffer.from(chunk));
      return undefined;
    }
    const document: Layout = { members: (key) => (key === this.#list ? { elements: undefined } : undefined) };
    const layout = first === OPEN_BRACKET ? { elements: document } : document;
    const walker = createWalker(layout, { value: (path, bytes, line) => this.#value(path, bytes, line) });
    for (const blank of this.#beginning) walker.push(blank);
    this.#beginning = [];
    return walker;
  }

  #value(path: JsonPath, bytes: Buffer, line: number): void {
    if (path.at(-2) !== this.#list) return;
    if (this.#length + bytes.length > this.#bytes.length) {
      const grown = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + bytes.length));
      this.#bytes.copy(grown, 0, 0, this.#length);
      this.#bytes = grown;
    }
    bytes.copy(this.#bytes, this.#length);
    this.#rows.add(this.#length, this.#length + bytes.length, line);
    this.#length += bytes.length;
  }

  #clear(): void {
    this.#rows.count = 0;
    this.#length = 0;
  }

  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof BrokenJson)) throw error;
      this.#fault = error;
    }
  }

  #block(): RowBlock {
    const { count, starts, ends, lines } = this.#rows;
    return { bytes: this.#bytes, count, starts, ends, lines };
  }
}
