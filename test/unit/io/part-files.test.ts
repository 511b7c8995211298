import fc from "fast-check";
import { expect, test } from "vitest";
import { createCleanUp } from "../../../src/io/clean-up.ts";
import { partFiles } from "../../../src/io/part-files.ts";
import { openSpools } from "../../helpers/open-spools.ts";

const { signal } = new AbortController();

test("gives back the records of each part in order, at any length", () => {
  const record = fc.record({ part: fc.nat(5), words: fc.array(fc.nat(), { minLength: 1, maxLength: 40 }) });
  fc.assert(
    fc.property(fc.array(record, { maxLength: 60 }), (records) => {
      const store = partFiles({ parts: 6, chunkWords: 16 }, createCleanUp(), signal).createStore();
      for (const { part, words } of records) store.append(part, new Uint32Array([...words, 7]), words.length);
      for (let part = 0; part < 6; part += 1) {
        const expected = records.filter((one) => one.part === part).flatMap(({ words }) => words);
        const into = new Uint32Array(expected.length + 1).fill(9);
        expect(store.words(part)).toBe(expected.length);
        store.read(part, into);
        expect([...into]).toEqual([...expected, 9]);
      }
      store.remove();
      store.remove();
    }),
  );
  expect(openSpools()).toEqual([]);
});

test("gives parts back that are larger than memory", () => {
  const store = partFiles({ parts: 3 }, createCleanUp(), signal).createStore();
  const words = new Uint32Array(100_000);
  for (let round = 0; round < 9; round += 1) store.append(round % 3, words.fill(round), words.length);
  expect(openSpools().length).toBe(1);
  const into = new Uint32Array(300_000);
  store.read(1, into);
  expect([0, 99_999, 100_000, 199_999, 200_000, 299_999].map((at) => into[at])).toEqual([1, 1, 4, 4, 7, 7]);
  store.remove();
  expect(openSpools()).toEqual([]);
});

test("an interrupted run stops between two parts", async () => {
  const controller = new AbortController();
  const { pause } = partFiles({ parts: 1 }, createCleanUp(), controller.signal);
  await pause();
  controller.abort(new Error("enough"));
  await expect(pause()).rejects.toThrow("enough");
});
