import { BrokenJson, createWalker, type Layout, type WalkListener } from "./walker.ts";

const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;

/** As much of a file is looked at to find out what it is. */
export const BEGINNING_BYTES = 64 * 1024;

/**
 * The keys of the first object of a file, as far as its beginning tells: of the document itself, of the first element of an array, of the
 * first row of many. None where it begins otherwise. Nothing is checked beyond what it takes to get from key to key.
 */
export function firstKeys(beginning: Buffer): ReadonlySet<string> {
  const keys = new Set<string>();
  let isOver = false;
  const object: Layout = {
    members: (key) => {
      if (!isOver) keys.add(key);
      return undefined;
    },
  };
  const first = beginning.find((byte) => byte > 0x20);
  if (first !== OPEN_BRACE && first !== OPEN_BRACKET) return keys;
  walk(beginning, first === OPEN_BRACKET ? { elements: object } : object, {
    closed: () => {
      isOver = true;
    },
    value: (path) => {
      isOver ||= typeof path.at(-1) === "number"; // the first element is no object
    },
  });
  return keys;
}

/** More paths than a document has around its lists are keys of data. */
const MOST_PATHS = 50;

/** The first paths of keys in the object that a file begins with, without those in lists; none where it begins otherwise. */
export function firstPaths(beginning: Buffer): readonly (readonly string[])[] {
  const paths: (readonly string[])[] = [];
  const inside = (at: readonly string[]): Layout => ({
    members: (key) => {
      if (paths.length >= MOST_PATHS) return undefined;
      const path = [...at, key];
      paths.push(path);
      return inside(path);
    },
  });
  walk(beginning, inside([]), { value: () => {} });
  return paths;
}

function walk(beginning: Buffer, layout: Layout, listener: WalkListener): void {
  try {
    createWalker(layout, listener).push(beginning);
  } catch (error) {
    if (!(error instanceof BrokenJson)) throw error; // what is broken, or another row, has nothing to add
  }
}
