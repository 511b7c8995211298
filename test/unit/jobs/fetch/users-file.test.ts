import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { unpack } from "../../../../src/jobs/fetch/unpack.ts";
import { type Written, writeUsers } from "../../../../src/jobs/fetch/users-file.ts";

async function* inPieces(bytes: Buffer, size: number, end = bytes.length): AsyncGenerator<Buffer> {
  for (let at = 0; at < end; at += size) yield bytes.subarray(at, Math.min(at + size, end));
  if (end < bytes.length) throw new Error("the line broke");
}

const users = Buffer.from(Array.from({ length: 50 }, (_, at) => `{"user_id":"auth0|${at}","name":"Zoë"}`).join("\n"));

test.each([1, 7, 1000, 10_000])("writes each user on a line and counts them, in chunks of %i bytes", async (size) => {
  const chunks: Buffer[] = [];
  const sink = { write: (bytes: Uint8Array) => void chunks.push(Buffer.from(bytes)) };
  const progress: Written[] = [];
  const written = await writeUsers(inPieces(users, size), sink, "host", (so) => progress.push(so));
  expect(Buffer.concat(chunks).toString()).toBe(`${users}\n`);
  expect(written).toEqual({ users: 50, bytes: users.length + 1 });
  expect(progress.at(-1)).toEqual({ users: 49, bytes: users.length });
});

test("unpacks chunks of any size, and files that are not packed", async () => {
  for (const size of [1, 2, 3, 1000]) {
    for (const file of [gzipSync(users), users, Buffer.alloc(0), Buffer.from("{")]) {
      const chunks: Buffer[] = [];
      for await (const chunk of unpack(inPieces(file, size), "host")) chunks.push(chunk);
      const expected = file.length > 1 ? users : file;
      expect(Buffer.concat(chunks).equals(expected)).toBe(true);
    }
  }
});

test("a connection that breaks within a packed file raises its own error", async () => {
  const file = gzipSync(users);
  const read = async () => {
    for await (const _ of unpack(inPieces(file, 10, 60), "host"));
  };
  await expect(read()).rejects.toThrow("the line broke");
});
