import fc from "fast-check";
import { expect, test } from "vitest";
import { viewOf } from "../../../../../src/core/json/words.ts";
import { HASH_WORDS, packBcrypt, unpackBcrypt } from "../../../../../src/core/merge/join/bcrypt.ts";

const TAIL = "abcdefghijklmnopqrstuv0123456789./ABCDEFGHIJKLMNOPQRS";

function pack(text: string): string | undefined {
  const bytes = Buffer.from(text);
  return packBcrypt(viewOf(bytes), 0, bytes.length, new Uint32Array(HASH_WORDS), 0);
}

test("a packed hash comes back exactly as it was", () => {
  const character = fc.constantFrom(..."./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789");
  const tail = fc.array(character, { minLength: 53, maxLength: 53 }).map((list) => list.join(""));
  const cost = fc.integer({ min: 4, max: 31 }).map((n) => String(n).padStart(2, "0"));
  fc.assert(
    fc.property(fc.constantFrom("a", "b", "y"), cost, tail, (variant, digits, rest) => {
      const text = `$2${variant}$${digits}$${rest}`;
      const words = new Uint32Array(HASH_WORDS + 2);
      const bytes = Buffer.from(`>${text}<`);
      expect(packBcrypt(viewOf(bytes), 1, 61, words, 1)).toBeUndefined();
      const into = Buffer.alloc(62);
      expect(unpackBcrypt(words, 1, viewOf(into), 1)).toBe(61);
      expect(into.toString("latin1", 1, 61)).toBe(text);
      expect((words[HASH_WORDS] as number) >>> 25).toBe(0);
    }),
  );
});

test.each([
  ["", "prefix"],
  ["$2", "prefix"],
  [`$2x$10$${TAIL}`, "prefix"],
  [`$2$10$${TAIL}`, "prefix"],
  [`$argon2id$v=19$m=65536$${TAIL}`, "prefix"],
  [`$2b$03$${TAIL}`, "bcrypt"],
  [`$2b$32$${TAIL}`, "bcrypt"],
  [`$2b$1$${TAIL}`, "bcrypt"],
  [`$2b$1x$${TAIL}`, "bcrypt"],
  [`$2b$10$${TAIL}x`, "length"],
  [`$2b$10$${TAIL.slice(1)}`, "length"],
  [`$2b$10$${TAIL.slice(1)}=`, "alphabet"],
  [`$2b$10$${TAIL.slice(2)}é`, "alphabet"],
  [` $2b$10$${TAIL}`, "prefix"],
])("%j breaks the rule %s", (text, rule) => {
  expect(pack(text)).toBe(rule);
});
