import { PassThrough, Readable } from "node:stream";
import { expect, test } from "vitest";
import { StreamReader } from "../../../../src/io/input/stream-reader.ts";

const signal = new AbortController().signal;

test("the first read raises an earlier error", async () => {
  const stream = new PassThrough();
  const reader = new StreamReader("users.json", stream, signal);
  stream.destroy(Object.assign(new Error(), { code: "EIO" }));
  await new Promise((done) => stream.once("close", done));
  await expect(reader.read(Buffer.alloc(1))).rejects.toMatchObject({
    problem: { code: "input.unreadable", file: "users.json", reason: "EIO" },
  });
});

test("peeked bytes are read, skipped bytes are not", async () => {
  const reader = new StreamReader("f", Readable.from([Buffer.from("ab"), Buffer.from("cdef")]), signal);
  expect((await reader.peek(3)).toString()).toBe("abc");
  reader.skip(1);
  expect((await reader.peek(99)).toString()).toBe("bcdef");
  const into = Buffer.alloc(3);
  expect(await reader.read(into)).toBe(3);
  expect(into.toString()).toBe("bcd");
  let rest = "";
  for await (const chunk of reader.chunks()) rest += chunk;
  expect(rest).toBe("ef");
  expect(await reader.read(into)).toBe(0);
});
