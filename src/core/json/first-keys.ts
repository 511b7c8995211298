import { BrokenJson, createWalker, type Layout } from "./walker.ts";

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
  const walker = createWalker(first === OPEN_BRACKET ? { elements: object } : object, {
    closed: () => {
      isOver = true;
    },
    value: (path) => {
      isOver ||= typeof path.at(-1) === "number"; // the first element is no object
    },
  });
  try {
    walker.push(beginning);
  } catch (error) {
    if (!(error instanceof BrokenJson)) throw error; // what is broken, or another row, has no keys to add
  }
  return keys;
}
