import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createCleanUp } from "../../../src/io/clean-up.ts";
import { partFiles } from "../../../src/io/part-files.ts";
import { openSpools } from "../../helpers/open-spools.ts";

const { signal } = new AbortController();

test("gives the records of each part back in the order they came, however long they are", () => {
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

test.skipIf(process.platform !== "linux")("what lies on the disk cannot be read by anybody else", () => {
  const store = partFiles({ parts: 1, chunkWords: 16 }, createCleanUp(), signal).createStore();
  const words = new Uint32Array(
    Buffer.from("sixteen words of a secret of nobody's own, sixty-four bytes long").buffer.slice(0, 64),
  );
  store.append(0, words, 16);
  store.append(0, words, 16);
  const [file] = openSpools();
  const onDisk = readFileSync(file as string);
  store.remove();
  expect(onDisk.length).toBe(64);
  expect(onDisk.includes(Buffer.from(words.buffer).subarray(0, 8))).toBe(false);
});

test("a run that is interrupted stops between two parts", async () => {
  const controller = new AbortController();
  const { pause } = partFiles({ parts: 1 }, createCleanUp(), controller.signal);
  await pause();
  controller.abort(new Error("enough"));
  await expect(pause()).rejects.toThrow("enough");
});
