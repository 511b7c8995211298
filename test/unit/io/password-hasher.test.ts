import { compareSync } from "bcryptjs";
import { afterEach, describe, expect, test } from "vitest";
import { BcryptHasher, type HasherSettings } from "../../../src/io/password-hasher.ts";

const program = new URL("../../../dist/password-thread.cjs", import.meta.url);
const passwords = Array.from({ length: 101 }, (_, at) => ({ text: `password ${at} ü`, userId: `u${at}` }));
const open: BcryptHasher[] = [];

function createHasher(settings: Partial<HasherSettings> = {}): BcryptHasher {
  const hasher = new BcryptHasher({
    cost: 4,
    scope: "org1",
    signal: new AbortController().signal,
    program,
    ...settings,
  });
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
    expect(passwords.every(({ text }, at) => compareSync(text, hashes[at] ?? ""))).toBe(true);
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

test("the same password of a user has the same hash in each run, and another one for each user and organization", async () => {
  const one = { text: "secret", userId: "u1" };
  const [hash] = await createHasher().hash([one]);
  expect(await createHasher({ threads: 3 }).hash([...passwords, one])).toContain(hash);
  const [other] = await createHasher().hash([{ ...one, userId: "u2" }]);
  const [elsewhere] = await createHasher({ scope: "org2" }).hash([one]);
  const [changed] = await createHasher().hash([{ ...one, text: "other" }]);
  expect(new Set([hash, other, elsewhere, changed]).size).toBe(4);
  expect([other, elsewhere].every((found = "") => compareSync("secret", found))).toBe(true);
  expect(hash).toMatch(/^\$2b\$04\$[./A-Za-z0-9]{53}$/);
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
