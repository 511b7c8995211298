import { parsedJson } from "../../core/json/members.ts";
import { BrokenJson, createWalker, type Layout, type Walker } from "../../core/json/walker.ts";
import type { DocumentMembers } from "../../core/merge/reading.ts";
import type { DocumentShape } from "../../core/rows/documents.ts";
import { ByteStore } from "../../core/transfer/buffer-pool.ts";
import { type Input, replay } from "../input/input.ts";
import type { RowInputs } from "./row-reader.ts";

const BLOCK_BYTES = 256 * 1024;
const OPEN_BRACKET = 0x5b;

/**
 * Reads members of a document. A file is read once more for that, up to its list of rows unless they may stand behind it; of a pipe, what
 * was read is kept, and a pipe that is read to its end must be on disk. A broken document has no members: the reading of its rows reports
 * it. Returns the files to read rows from, and the members that were found.
 *
 * @param wanted the name of the document, where there are several.
 */
export async function readMembers(
  inputs: RowInputs,
  shape: DocumentShape,
  { keys, isAnywhere, take }: DocumentMembers,
  wanted: string | undefined,
): Promise<RowInputs> {
  const files: Input[] = [];
  let around: string | undefined;
  let isFound = false;
  for (const file of inputs.files) {
    const seeker = new MemberSeeker(shape, { keys, isAnywhere }, wanted);
    if (!isFound && file.path === undefined) {
      files.push(await (isAnywhere ? seeker.onDisk(file) : seeker.replaying(file)));
    } else {
      files.push(file);
      if (!isFound) await seeker.inFile(file);
    }
    if (seeker.isFound) {
      take(seeker.members);
      around = JSON.stringify(Object.fromEntries(seeker.members)).slice(1, -1);
    }
    isFound ||= seeker.isFound;
  }
  return { ...inputs, files, ...(around === undefined ? {} : { around }) };
}

/** Looks through the documents of a file for the one that is wanted. */
class MemberSeeker {
  readonly members = new Map<string, unknown>();
  readonly #shape: DocumentShape;
  readonly #keys: readonly string[];
  readonly #isAnywhere: boolean;
  readonly #wanted: string | undefined;
  #walker: Walker | undefined;
  #depth = 0;
  #name: string | undefined;
  #isOver = false;

  constructor(shape: DocumentShape, { keys, isAnywhere }: Omit<DocumentMembers, "take">, wanted: string | undefined) {
    this.#shape = shape;
    this.#keys = keys;
    this.#isAnywhere = isAnywhere;
    this.#wanted = wanted;
  }

  /** The members are those of the document that is wanted. */
  get isFound(): boolean {
    return this.members.size > 0 && this.#isWanted;
  }

  get #isWanted(): boolean {
    return this.#wanted === undefined || this.#name === this.#wanted;
  }

  async inFile(file: Input): Promise<void> {
    const probe = await file.again();
    try {
      await this.#read(probe);
    } finally {
      await probe.close();
    }
  }

  /** The whole input once more, from the file into which it was copied. */
  async onDisk(input: Input): Promise<Input> {
    await this.#read(input, true);
    return { ...(await input.again()), close: () => input.close() };
  }

  /** The input as if nothing of it was read. */
  async replaying(input: Input): Promise<Input> {
    const read = new ByteStore();
    await this.#read(input, false, read);
    return replay(input, read.view());
  }

  async #read(input: Input, isWhole = false, read?: ByteStore): Promise<void> {
    const block = Buffer.alloc(BLOCK_BYTES);
    for (let length = -1; length !== 0 && (isWhole || !this.#isOver); ) {
      length = await input.read(block);
      read?.append(block.subarray(0, length));
      if (!this.#isOver) this.#take(block.subarray(0, length));
    }
  }

  #take(bytes: Buffer): void {
    const first = bytes.find((byte) => byte > 0x20);
    if (this.#walker === undefined && first === undefined) return;
    this.#walker ??= this.#begin(first === OPEN_BRACKET);
    try {
      this.#walker.push(bytes);
    } catch (error) {
      if (!(error instanceof BrokenJson)) throw error;
      this.#isOver = true;
    }
  }

  #begin(isArray: boolean): Walker {
    this.#depth = isArray ? 1 : 0;
    const [list] = this.#shape.list;
    const document: Layout = { members: (key) => (key === list ? { elements: undefined } : undefined) };
    return createWalker(isArray ? { elements: document } : document, {
      opened: ({ length }) => {
        if (this.#isOver || length > this.#depth + 1) return;
        if (length === this.#depth + 1) this.#isOver = !this.#isAnywhere && this.#isWanted;
        else {
          this.members.clear();
          this.#name = undefined;
        }
      },
      closed: ({ length }) => {
        this.#isOver ||= length === this.#depth && this.#isWanted;
      },
      value: (path, bytes) => {
        const key = path.at(-1);
        if (this.#isOver || path.length !== this.#depth + 1 || typeof key !== "string") return;
        if (key === this.#shape.name?.key) this.#name = String(parsedJson(bytes.toString()));
        if (this.#keys.includes(key)) this.members.set(key, parsedJson(bytes.toString()));
      },
    });
  }
}
