import { expect, test } from "vitest";
import { bufferedOutput } from "../../../../src/io/output/buffered-output.ts";
import type { Output } from "../../../../src/io/output/sink.ts";

/** An output in memory that takes this number of writes, and fails at the next one. */
function memory({ room = Number.POSITIVE_INFINITY, isPipe = false } = {}) {
  const chunks: string[] = [];
  const ends: string[] = [];
  const take = (bytes: Uint8Array): void => {
    if (chunks.length >= room) throw new Error("full");
    chunks.push(Buffer.from(bytes).toString());
  };
  const output: Output = {
    path: "reasons.ndjson",
    isRevocable: true,
    write: isPipe ? async (bytes) => take(bytes) : take,
    close() {},
    commit: () => void ends.push("commit"),
    discard: () => void ends.push("discard"),
  };
  return { output, chunks, ends };
}

test("each object is a line, and all lines are written before the commit", async () => {
  const { output, chunks, ends } = memory();
  const lines = bufferedOutput(output);
  const values = Array.from({ length: 200 }, (_, n) => ({ n, text: "a\n\u2028b", none: undefined }));
  for (const value of values) lines.line(value);
  expect(ends).toEqual([]);
  await lines.commit();
  expect(ends).toEqual(["commit"]);
  const written = chunks.join("").trimEnd().split("\n");
  expect(written.map((line) => JSON.parse(line))).toEqual(values.map(({ n, text }) => ({ n, text })));
});

test("a text or bytes longer than the buffer keep their place", async () => {
  const { output, chunks } = memory();
  const lines = bufferedOutput(output);
  const long = "é".repeat(70_000);
  lines.text("a");
  lines.text(long);
  lines.write(Buffer.from("b"));
  lines.write(Buffer.from(long));
  lines.text("c");
  await lines.commit();
  expect(chunks.join("")).toBe(`a${long}b${long}c`);
});

test("a file raises the failure of a write at once, and a discarded output is not committed", () => {
  const { output, ends } = memory({ room: 1 });
  const lines = bufferedOutput(output);
  expect(() => {
    for (let n = 0; n < 4; n += 1) lines.line({ n, text: "x".repeat(40_000) });
  }).toThrow("full");
  lines.discard();
  expect(ends).toEqual(["discard"]);
});

test("the commit raises the failure of a write to a pipe, and commits nothing", async () => {
  const { output, ends } = memory({ room: 1, isPipe: true });
  const lines = bufferedOutput(output);
  for (let n = 0; n < 4; n += 1) lines.line({ n, text: "x".repeat(40_000) });
  await expect(lines.commit()).rejects.toThrow("full");
  lines.discard();
  expect(ends).toEqual(["discard"]);
});

test("nothing is written after a discard", async () => {
  const { output, chunks } = memory();
  const lines = bufferedOutput(output);
  lines.line({ n: 1 });
  lines.discard();
  lines.close();
  expect(chunks).toEqual([]);
});

test("many lines go into one write", async () => {
  const { output, chunks } = memory();
  const lines = bufferedOutput(output);
  for (let n = 0; n < 10_000; n += 1) lines.line({ n });
  await lines.commit();
  expect(chunks.join("").split("\n")).toHaveLength(10_001);
  expect(chunks.length).toBeLessThan(10);
});
