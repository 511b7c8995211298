import { expect, test } from "vitest";
import { ndjsonOutput } from "../../../../src/io/output/ndjson-output.ts";
import type { Output } from "../../../../src/io/output/sink.ts";

/** An output in memory that takes so many lines. */
function memory(room = Number.POSITIVE_INFINITY) {
  const chunks: string[] = [];
  const ends: string[] = [];
  const output: Output = {
    path: "reasons.ndjson",
    isRevocable: true,
    write(bytes) {
      if (chunks.length >= room) throw new Error("full");
      chunks.push(Buffer.from(bytes).toString());
    },
    close() {},
    commit: () => void ends.push("commit"),
    discard: () => void ends.push("discard"),
  };
  return { output, chunks, ends };
}

test("each object is a line, and all lines are written before the commit", async () => {
  const { output, chunks, ends } = memory();
  const lines = ndjsonOutput(output);
  const values = Array.from({ length: 200 }, (_, n) => ({ n, text: "a\n\u2028b", none: undefined }));
  for (const value of values) lines.write(value);
  expect(ends).toEqual([]);
  await lines.commit();
  expect(ends).toEqual(["commit"]);
  expect(
    chunks
      .join("")
      .trimEnd()
      .split(/\r?\n/)
      .map((line) => JSON.parse(line)),
  ).toEqual(values.map(({ n, text }) => ({ n, text })));
});

test("the next write and the commit raise the failure of a write, and nothing is committed", async () => {
  const { output, ends } = memory(1);
  const lines = ndjsonOutput(output);
  for (let n = 0; n < 2; n += 1) lines.write({ n, text: "x".repeat(40_000) });
  await expect(lines.commit()).rejects.toThrow("full");
  expect(() => lines.write({ n: 3 })).toThrow("full");
  lines.discard();
  expect(ends).toEqual(["discard"]);
});

test("nothing is written after a discard", async () => {
  const { output, chunks } = memory();
  const lines = ndjsonOutput(output);
  for (let n = 0; n < 200; n += 1) lines.write({ n, text: "x".repeat(40_000) });
  lines.discard();
  const before = chunks.length;
  await new Promise((done) => setImmediate(done));
  expect(chunks.length).toBe(before);
  expect(before).toBeLessThan(200);
});

test("many lines go into one write", async () => {
  const { output, chunks } = memory();
  const lines = ndjsonOutput(output);
  for (let n = 0; n < 10_000; n += 1) lines.write({ n });
  await lines.commit();
  expect(chunks.join("").split("\n")).toHaveLength(10_001);
  expect(chunks.length).toBeLessThan(10);
});
