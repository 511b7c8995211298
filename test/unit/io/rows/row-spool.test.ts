import { expect, test } from "vitest";
import { createCleanUp } from "../../../../src/io/clean-up.ts";
import { FileRowSpool } from "../../../../src/io/rows/row-spool.ts";
import { openSpools } from "../../../helpers/open-spools.ts";

test.each([
  ["few rows from memory", 10, 100, 0],
  ["many rows from a file", 600, 5_000, 1],
])("gives back %s, in order and with their lines", async (_, count, length, files) => {
  const before = openSpools().length;
  const spool = new FileRowSpool(createCleanUp(), new AbortController().signal);
  const row = (n: number): string => `${n}:`.padEnd(length + (n % 7), "é");
  for (let n = 0; n < count; n += 1) {
    const bytes = Buffer.from(`<${row(n)}>`);
    spool.add(bytes.subarray(1, -1), n * 3);
  }
  expect(openSpools().length - before).toBe(files);
  let n = 0;
  for await (const { bytes, starts, ends, lines, count: rows } of spool.blocks()) {
    for (let at = 0; at < rows; at += 1, n += 1) {
      expect(bytes.toString("utf8", starts[at], ends[at]) === row(n)).toBe(true);
      expect(lines[at]).toBe(n * 3);
    }
  }
  expect(n).toBe(count);
  spool.remove();
  expect(openSpools().length).toBe(before);
});

test("stops between two chunks when the run is interrupted", async () => {
  const controller = new AbortController();
  const spool = new FileRowSpool(createCleanUp(), controller.signal);
  for (let n = 0; n < 2; n += 1) spool.add(Buffer.alloc(300_000, "x"), n);
  const blocks = spool.blocks();
  await blocks.next();
  controller.abort(new Error("interrupted"));
  await expect(blocks.next()).rejects.toThrow("interrupted");
  spool.remove();
});
