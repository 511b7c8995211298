import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { Part } from "../../../../src/jobs/fetch/part.ts";
import { unpack } from "../../../../src/jobs/fetch/unpack.ts";
import { ProblemError } from "../../../../src/problem.ts";

async function* inPieces(bytes: Buffer, size: number, end = bytes.length): AsyncGenerator<Buffer> {
  for (let at = 0; at < end; at += size) yield bytes.subarray(at, Math.min(at + size, end));
  if (end < bytes.length) throw new Error("the line broke");
}

function part() {
  const chunks: Buffer[] = [];
  const sink = { write: (bytes: Uint8Array) => void chunks.push(Buffer.from(bytes)) };
  return { part: new Part(sink, "host"), text: () => Buffer.concat(chunks).toString() };
}

const users = Buffer.from(Array.from({ length: 50 }, (_, at) => `{"user_id":"auth0|${at}","name":"Zoë"}`).join("\n"));

test("a download that broke off goes on behind what is written, wherever it broke and however it comes", async () => {
  for (const [broke, first, second] of [
    [1, 7, 1000],
    [333, 50, 17],
    [users.length - 1, 64, 3],
  ] as const) {
    const { part: taken, text } = part();
    await expect(taken.take(inPieces(users, first, broke))).rejects.toThrow("the line broke");
    await taken.take(inPieces(users, second));
    expect(text()).toBe(`${users}\n`);
    expect([taken.users, taken.bytes]).toEqual([50, users.length + 1]);
  }
});

test.each([
  ["other bytes", Buffer.from(users.toString().replace("auth0|1", "auth0|X"))],
  ["fewer bytes", users.subarray(0, 100)],
])("goes on with nothing else: %s", async (_, other) => {
  const { part: taken } = part();
  await expect(taken.take(inPieces(users, 10, 400))).rejects.toThrow("the line broke");
  const failure = await taken.take(inPieces(other, 10)).catch((error: unknown) => error);
  expect(failure instanceof ProblemError && failure.problem).toMatchObject({
    code: "api.download-damaged",
    why: "changed",
  });
});

test("unpacks whatever the pieces are, also what is not packed", async () => {
  for (const size of [1, 2, 3, 1000]) {
    for (const file of [gzipSync(users), users, Buffer.alloc(0), Buffer.from("{")]) {
      const chunks: Buffer[] = [];
      for await (const chunk of unpack(inPieces(file, size), "host")) chunks.push(chunk);
      const expected = file.length > 1 ? users : file;
      expect(Buffer.concat(chunks).equals(expected)).toBe(true);
    }
  }
});

test("a connection that breaks within a packed file is told as that", async () => {
  const file = gzipSync(users);
  const read = async () => {
    for await (const _ of unpack(inPieces(file, 10, 60), "host"));
  };
  await expect(read()).rejects.toThrow("the line broke");
});
