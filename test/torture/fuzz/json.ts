import { letters, type Random } from "../random.ts";

const numbers = [0, -0, 1, -1, 0.5, 1e21, 1e-7, 2 ** 53, -(2 ** 53)];
const texts = [
  "",
  "a",
  'quo"te',
  "back\\slash",
  "\u0000",
  "\ud800",
  "é",
  "😀",
  "\u2028",
  "{",
  "]",
  ",",
  "\n",
  "x".repeat(70),
];

/** Any JSON value, nested so deep at most. */
export function randomJson(random: Random, depth: number): unknown {
  switch (random.below(depth > 0 ? 7 : 5)) {
    case 0:
      return random.pick(numbers);
    case 1:
      return random.pick(texts);
    case 2:
      return random.chance(0.5);
    case 3:
      return null;
    case 4:
      return random.text(letters, random.below(20));
    case 5:
      return Array.from({ length: random.below(4) }, () => randomJson(random, depth - 1));
    default:
      return Object.fromEntries(
        Array.from({ length: random.below(4) }, () => [
          random.pick(["a", "b", ...texts]),
          randomJson(random, depth - 1),
        ]),
      );
  }
}

/** The same value with its members in another order, spaces between, and letters written as escapes. */
export function scrambled(random: Random, value: unknown): string {
  const space = (): string => random.pick(["", "", " ", "\n", "\t"]);
  if (Array.isArray(value)) return `[${value.map((one) => space() + scrambled(random, one) + space()).join(",")}]`;
  if (typeof value === "string") return escaped(random, value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = random
    .shuffled(Object.entries(value))
    .map(([key, one]) => `${space()}${escaped(random, key)}${space()}:${space()}${scrambled(random, one)}`);
  return `{${members.join(",")}${space()}}`;
}

function escaped(random: Random, text: string): string {
  if (random.chance(0.7) || text === "") return JSON.stringify(text);
  const code = text.charCodeAt(0).toString(16).padStart(4, "0");
  return `"\\u${code}${JSON.stringify(text.slice(1)).slice(1)}`;
}

/** The bytes in pieces of any sizes; each piece is overwritten once the next one is asked for, as those of a reader are. */
export function* chunksOf(random: Random, bytes: Buffer): Generator<Buffer> {
  const most = random.pick([1, 3, 17, 100, 1_000_000]);
  for (let at = 0; at < bytes.length; ) {
    const size = random.between(1, most);
    const chunk = Buffer.from(bytes.subarray(at, at + size));
    yield chunk;
    chunk.fill(0x78);
    at += size;
  }
}
