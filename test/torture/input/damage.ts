import type { Random } from "../random.ts";

const words = [
  '"',
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  "\\",
  "\\u0000",
  "\\ud800",
  "null",
  "1e999",
  "\n",
  "\r",
  "\0",
  "\ufeff",
  "é",
  "😀",
  '"orgs"',
  "true",
  "-",
  " ",
];

/** The bytes with some slips: what editors, disks, pipes and people do to files. */
export function damaged(random: Random, bytes: Buffer, slips = random.between(1, 4)): Buffer {
  let current = bytes;
  for (let slip = 0; slip < slips; slip += 1) current = slipped(random, current);
  return current;
}

function slipped(random: Random, bytes: Buffer): Buffer {
  if (bytes.length === 0) return Buffer.from(random.pick(words));
  const at = random.below(bytes.length);
  const to = Math.min(bytes.length, at + random.pick([1, 1, 2, 8, 64]));
  const [before, part, after] = [bytes.subarray(0, at), bytes.subarray(at, to), bytes.subarray(to)];
  const put = (...parts: readonly Uint8Array[]): Buffer => Buffer.concat([before, ...parts, after]);
  switch (random.below(9)) {
    case 0:
      return put();
    case 1:
      return put(part, part);
    case 2:
      return put(Buffer.from(random.pick(words)));
    case 3:
      return put(Buffer.from(random.pick(words)), part);
    case 4:
      return put(random.bytes(part.length));
    case 5:
      return before;
    case 6:
      return put(Buffer.from(Array.from(part, (byte) => byte ^ (1 << random.below(8)))));
    case 7:
      return Buffer.concat([after, part, before]);
    default: {
      // A piece of somewhere else.
      const from = random.below(bytes.length);
      return put(bytes.subarray(from, from + random.below(40)));
    }
  }
}

/** A journal with lines lost, repeated or in another order, or with slips within them. */
export function damagedJournal(random: Random, bytes: Buffer): Buffer {
  const lines = bytes.toString("latin1").split(/(?<=\n)/);
  const at = random.below(lines.length);
  const line = (text: readonly string[]): Buffer => Buffer.from(text.join(""), "latin1");
  switch (random.below(6)) {
    case 0:
      return line(lines.filter((_, place) => place !== at));
    case 1:
      return line(lines.flatMap((text, place) => (place === at ? [text, text] : [text])));
    case 2:
      return line(random.shuffled(lines));
    case 3:
      return line(lines.slice(0, at));
    default:
      return damaged(random, bytes, 1);
  }
}
