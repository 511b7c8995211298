import { brokenProblem } from "../json/broken-problem.ts";
import { BrokenJson, createWalker, type JsonPath, type Layout, type Walker } from "../json/walker.ts";
import { enlarged } from "../json/words.ts";
import type { Documents } from "./documents.ts";
import { MAX_ROW_BYTES } from "./framer.ts";
import { isSpace } from "./line-splitter.ts";
import { type RowBlock, RowList, type Shape } from "./row-block.ts";

const OPEN_BRACKET = 0x5b;
/**
 * Bytes in, blocks of whole rows out, for rows that are the elements of a list inside a document: `{"users":[…]}`, or an array of
 * such documents. Any size; what stands around the list is skipped. The rows of a block are copied out of the document.
 */
export class DocumentFramer {
  readonly shape: Shape = "document";
  readonly #file: string;
  readonly #documents: Documents;
  readonly #list: readonly string[];
  readonly #input: Buffer;
  #rows = new RowList();
  #bytes: Buffer;
  #length = 0;
  #walker: Walker | undefined;
  /** How deep in the path a document's keys stand: 1 where it is an element of an array. */
  #depth = 0;
  /** Bytes read before the first that is no white space, which shows what the document is. */
  #beginning: Buffer[] = [];
  /** What ends the input early, once the rows before it have been returned. */
  #fault: BrokenJson | undefined;
  /** Of the current document. */
  #name: string | undefined;
  #elements: number | undefined;
  #keys = new Set<string>();
  #takes = true;
  #wasTakenUnnamed = false;

  /** @param documents what has been found in the files before it. */
  constructor(file: string, documents: Documents, blockBytes: number) {
    this.#file = file;
    this.#documents = documents;
    this.#list = documents.shape.list;
    this.#input = Buffer.allocUnsafe(blockBytes);
    this.#bytes = Buffer.allocUnsafe(blockBytes * 2);
  }

  /** The name of the current document, as far as it is known. */
  get name(): string | undefined {
    return this.#name;
  }

  /** Raises input.malformed, input.unclosed or input.row-too-long when the document broke behind the rows of the last block. */
  check(): void {
    if (this.#fault !== undefined) throw brokenProblem(this.#fault, this.#file);
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
    const document: Layout = { members: (key) => this.#member(key, 0) };
    const isArray = first === OPEN_BRACKET;
    this.#depth = isArray ? 1 : 0;
    const walker = createWalker(isArray ? { elements: document } : document, {
      opened: (path) => this.#opened(path),
      closed: (path) => this.#closed(path),
      value: (path, bytes, line) => this.#value(path, bytes, line),
    });
    for (const blank of this.#beginning) walker.push(blank);
    this.#beginning = [];
    return walker;
  }

  /** A member begins. @param at how many keys of the path lead to its object. */
  #member(key: string, at: number): Layout | undefined {
    if (key === this.#list[at]) {
      const isList = at + 1 === this.#list.length;
      return isList ? { elements: undefined } : { members: (next) => this.#member(next, at + 1) };
    }
    if (at > 0) return undefined;
    if (this.#documents.shape.strangers?.some(({ has }) => has === key) === true) this.#keys.add(key);
    return undefined;
  }

  #opened(path: JsonPath): void {
    if (path.length === this.#depth) {
      this.#name = undefined;
      this.#elements = undefined;
      this.#keys.clear();
      this.#wasTakenUnnamed = false;
    } else if (path.length === this.#depth + this.#list.length) {
      this.#elements ??= 0;
      this.#takes = this.#documents.takes(this.#name);
      this.#wasTakenUnnamed ||= this.#name === undefined;
    }
  }

  #closed(path: JsonPath): void {
    if (path.length !== this.#depth) return;
    this.#documents.ended({
      name: this.#name,
      elements: this.#elements,
      wasTakenUnnamed: this.#wasTakenUnnamed && this.#elements !== 0,
      keys: this.#keys,
    });
  }

  #value(path: JsonPath, bytes: Buffer, line: number): void {
    if (path.length === this.#depth + 1 && path.at(-1) === this.#documents.shape.name?.key) this.#name = textOf(bytes);
    if (path.length !== this.#depth + this.#list.length + 1 || path.at(-2) !== this.#list.at(-1)) return;
    this.#elements = (this.#elements ?? 0) + 1;
    if (!this.#takes) return;
    if (bytes.length > MAX_ROW_BYTES) throw new BrokenJson(line, "too-long", MAX_ROW_BYTES);
    if (this.#length + bytes.length > this.#bytes.length) {
      const size = Math.max(this.#bytes.length * 2, this.#length + bytes.length);
      this.#bytes = enlarged(this.#bytes, this.#length, size);
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
      this.#fault ??= error;
    }
  }

  #block(): RowBlock {
    const { count, starts, ends, lines } = this.#rows;
    return { bytes: this.#bytes, count, starts, ends, lines };
  }
}

/** The text of a JSON string; undefined when it is none. */
function textOf(bytes: Buffer): string | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString());
    return typeof value === "string" && value !== "" ? value : undefined;
  } catch {
    return undefined;
  }
}
