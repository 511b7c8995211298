import { expect, test } from "vitest";
import { KeyIndex } from "../../../../src/core/tables/key-index.ts";

const STRIDE = 5;
const OFFSET = 1;

/** Words that look like the keys of a real file: some count up, some are all over the place. */
function fillKey(records: Uint32Array, record: number, n: number): void {
  records[record * STRIDE + OFFSET] = 0x5f7c8ec7 + (n >>> 4);
  records[record * STRIDE + OFFSET + 1] = Math.imul(n, 0x9e3779b1);
  records[record * STRIDE + OFFSET + 2] = n;
}

// Only every n-th record is indexed, so record numbers outgrow the bits that so few slots would need.
test.each([
  { words: 2, every: 1 },
  { words: 3, every: 1 },
  { words: 3, every: 7 },
] as const)("finds every record again while it grows ($words words, one in $every)", ({ words, every }) => {
  const count = 60_000; // more than it has room for at first
  let wrong = 0;
  const records = new Uint32Array(count * every * STRIDE);
  const index = new KeyIndex({ stride: STRIDE, offset: OFFSET, words }, 0);
  const key = new Uint32Array(2 * STRIDE);
  for (let n = 0; n < count; n += 1) {
    fillKey(key, 1, n);
    if (index.find(records, key, STRIDE + OFFSET) !== -1) wrong += 1;
    fillKey(records, n * every, n);
    index.put(records, n * every);
  }
  for (let n = 0; n < count; n += 1) {
    fillKey(key, 0, n);
    if (index.find(records, key, OFFSET) !== n * every) wrong += 1;
  }
  expect(wrong).toBe(0);
});

test("a key finds the record that was put last", () => {
  const records = new Uint32Array(3 * STRIDE);
  const index = new KeyIndex({ stride: STRIDE, offset: OFFSET, words: 3 }, 10);
  for (const record of [0, 2, 1]) {
    fillKey(records, record, 42);
    index.put(records, record);
    expect(index.find(records, records, OFFSET)).toBe(record);
  }
});

test("keys that differ in one word are different", () => {
  const records = new Uint32Array(4 * STRIDE);
  const index = new KeyIndex({ stride: STRIDE, offset: OFFSET, words: 3 }, 10);
  for (let record = 0; record < 4; record += 1) {
    fillKey(records, record, 7);
    if (record > 0) records[record * STRIDE + OFFSET + record - 1] = 99;
    index.put(records, record);
  }
  for (let record = 0; record < 4; record += 1) {
    expect(index.find(records, records, record * STRIDE + OFFSET)).toBe(record);
  }
});
