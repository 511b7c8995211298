import { compareSync } from "bcryptjs";
import { afterEach, describe, expect, test } from "vitest";
import { BcryptHasher, type HasherSettings } from "../../../src/io/password-hasher.ts";

const program = new URL("../../../dist/password-thread.cjs", import.meta.url);
const passwords = Array.from({ length: 101 }, (_, at) => `password ${at} ü`);
const open: BcryptHasher[] = [];

function createHasher(settings: Partial<HasherSettings> = {}): BcryptHasher {
  const hasher = new BcryptHasher({ cost: 4, signal: new AbortController().signal, program, ...settings });
  open.push(hasher);
  return hasher;
}

afterEach(async () => {
  for (const hasher of open.splice(0)) await hasher.close();
});

describe.each([
  ["in this thread", 1],
  ["in three", 3],
])("%s", (_, threads) => {
  test("each password gets its hash, in order", async () => {
    const hasher = createHasher({ threads });
    const hashes = await hasher.hash(passwords);
    expect(hashes).toHaveLength(passwords.length);
    expect(passwords.every((password, at) => compareSync(password, hashes[at] ?? ""))).toBe(true);
    expect(new Set(hashes).size).toBe(passwords.length);
    expect(hasher.done.hashed).toBe(passwords.length);
  });

  test("an interrupt ends it at once", async () => {
    const controller = new AbortController();
    const hasher = createHasher({ threads, cost: 10, signal: controller.signal });
    const hashes = hasher.hash(passwords);
    setImmediate(() => controller.abort(new Error("interrupted")));
    await expect(hashes).rejects.toThrow("interrupted");
    await expect(hasher.hash(passwords)).rejects.toThrow("interrupted");
  });
});

test("an empty list starts no thread", async () => {
  const hasher = createHasher({ threads: 3 });
  expect(await hasher.hash([])).toEqual([]);
  expect(hasher.done).toEqual({ hashed: 0, durationMs: 0, mostEqual: 0 });
});

test("a thread that cannot start raises its error", async () => {
  const hasher = createHasher({ threads: 2, program: new URL("./no-such-program.cjs", import.meta.url) });
  await expect(hasher.hash(passwords)).rejects.toThrow();
});
