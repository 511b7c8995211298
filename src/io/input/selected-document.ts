import type { Extent } from "../../core/document/scan-types.ts";
import { brokenProblem } from "../../core/json/broken-problem.ts";
import { BrokenJson, type Walker } from "../../core/json/walker.ts";
import { createCutter, createUserSelector } from "../../core/select/select-users.ts";
import { Selection, type SelectionRules } from "../../core/select/selection.ts";
import { ProblemError } from "../../problem.ts";
import type { Document } from "./document.ts";

const SPACE = 0x20;
const NEWLINE = 0x0a;

/** A document with some of the users of another one. */
export interface SelectedDocument {
  readonly document: Document;
  readonly selected: number;
  /** Users of the whole document. */
  readonly users: number;
}

/**
 * The document with the selected users, what belongs to them, and everything that belongs to no user. What is left out becomes blanks, so
 * that lines and sizes stay. Reads the document twice. Raises input.malformed and others for a broken document.
 */
export async function selectUsers(
  document: Document,
  rules: SelectionRules,
  signal: AbortSignal,
): Promise<SelectedDocument> {
  const { walker, selected } = createUserSelector(new Selection(rules));
  await walk(document, walker, signal);
  const cuts = new Cuts();
  await walk(
    document,
    createCutter(selected, (extent) => cuts.add(extent)),
    signal,
  );
  const blanked: Document = {
    ...document,
    async *read(extent) {
      let at = extent.start;
      for await (const chunk of document.read(extent)) {
        yield cuts.blank(chunk, at);
        at += chunk.length;
      }
    },
  };
  return { document: blanked, selected: selected.places.size, users: selected.users };
}

async function walk(document: Document, walker: Walker, signal: AbortSignal): Promise<void> {
  try {
    for await (const chunk of document.read({ start: 0, end: document.bytes })) {
      signal.throwIfAborted();
      walker.push(chunk);
    }
    walker.end();
  } catch (error) {
    if (!(error instanceof BrokenJson)) throw error;
    throw new ProblemError(brokenProblem(error, document.path), { cause: error });
  }
}

/** Extents in order, each behind the one before. */
class Cuts {
  #starts = new Float64Array(64);
  #ends = new Float64Array(64);
  #count = 0;

  add({ start, end }: Extent): void {
    if (end <= start) return;
    if (this.#count > 0 && this.#ends[this.#count - 1] === start) {
      this.#ends[this.#count - 1] = end;
      return;
    }
    if (this.#count === this.#starts.length) {
      this.#starts = doubled(this.#starts);
      this.#ends = doubled(this.#ends);
    }
    this.#starts[this.#count] = start;
    this.#ends[this.#count] = end;
    this.#count += 1;
  }

  /** The chunk with blanks in place of what is cut; line breaks stay. @param from its place in the document. */
  blank(chunk: Buffer, from: number): Buffer {
    const to = from + chunk.length;
    let cut = this.#firstEndingAfter(from);
    if (cut === this.#count || (this.#starts[cut] as number) >= to) return chunk;
    const blanked = Buffer.from(chunk);
    for (; cut < this.#count && (this.#starts[cut] as number) < to; cut += 1) {
      const end = Math.min(this.#ends[cut] as number, to) - from;
      for (let at = Math.max(this.#starts[cut] as number, from) - from; at < end; at += 1) {
        if (blanked[at] !== NEWLINE) blanked[at] = SPACE;
      }
    }
    return blanked;
  }

  #firstEndingAfter(place: number): number {
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#ends[middle] as number) <= place) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function doubled(values: Float64Array): Float64Array<ArrayBuffer> {
  const more = new Float64Array(values.length * 2);
  more.set(values);
  return more;
}
