import type { Extent } from "../../core/document/scan-types.ts";
import { brokenProblem } from "../../core/json/broken-problem.ts";
import type { Walker } from "../../core/json/walker.ts";
import { createCutter, createElementCutter, createUserSelector } from "../../core/select/select-users.ts";
import { Selection, type SelectionRules } from "../../core/select/selection.ts";
import { RangeSet } from "../../core/tables/range-set.ts";
import type { Document } from "./document.ts";

const SPACE = 0x20;
const NEWLINE = 0x0a;

/** A document with some of the users of another one. */
export interface SelectedDocument {
  readonly document: Document;
  readonly selected: number;
  /** Users of the whole document. */
  readonly users: number;
  /** Entries of `--only` that fit no user of it. */
  readonly unmet: readonly string[];
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
  const selection = new Selection(rules);
  const { walker, selected } = createUserSelector(selection);
  await walk(document, walker, signal);
  const remaining = await cutFrom(document, (onCut) => createCutter(selected, onCut), signal);
  return {
    document: { ...remaining, isSelection: true },
    selected: selected.places.size,
    users: selected.users,
    unmet: selection.unmet,
  };
}

/** The document without some of its role grants. Reads it once. Raises as `selectUsers`. */
export function leaveOutGrants(
  document: Document,
  isLeftOut: (entry: Buffer) => boolean,
  signal: AbortSignal,
): Promise<Document> {
  const isCut = (list: string, entry: Buffer) => (list === "userGrants" ? isLeftOut(entry) : undefined);
  return cutFrom(document, (onCut) => createElementCutter(isCut, onCut), signal);
}

async function cutFrom(
  document: Document,
  createWalkerOf: (onCut: (extent: Extent) => void) => Walker,
  signal: AbortSignal,
): Promise<Document> {
  const cuts = new RangeSet();
  const cutter = createWalkerOf(({ start, end }) => {
    if (end > start) cuts.add(start, end - 1);
  });
  await walk(document, cutter, signal);
  return {
    ...document,
    async *read(extent) {
      let at = extent.start;
      for await (const chunk of document.read(extent)) {
        yield blanked(chunk, at, cuts);
        at += chunk.length;
      }
    },
  };
}

async function walk(document: Document, walker: Walker, signal: AbortSignal): Promise<void> {
  try {
    for await (const chunk of document.read({ start: 0, end: document.bytes })) {
      signal.throwIfAborted();
      walker.push(chunk);
    }
    walker.end();
  } catch (error) {
    throw brokenProblem(error, document.path);
  }
}

/** The chunk with blanks in place of what is cut; line breaks stay. @param from its place in the document. */
function blanked(chunk: Buffer, from: number, cuts: RangeSet): Buffer {
  const ranges = cuts.within(from, from + chunk.length - 1);
  if (ranges.length === 0) return chunk;
  const copy = Buffer.from(chunk);
  for (const [first, last] of ranges) {
    for (let at = first - from; at <= last - from; at += 1) if (copy[at] !== NEWLINE) copy[at] = SPACE;
  }
  return copy;
}
