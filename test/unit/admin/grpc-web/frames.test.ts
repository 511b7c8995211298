import { expect, test } from "vitest";
import type { Answer } from "../../../../src/admin/call.ts";
import { toFrame, unframed } from "../../../../src/admin/grpc-web/frames.ts";

const TRAILER = Buffer.from("grpc-status: 0\r\n");

async function read(...frames: readonly Buffer[]): Promise<string> {
  const trailer = toFrame(TRAILER);
  trailer[0] = 0x80;
  const bytes = async function* () {
    yield Buffer.concat([...frames, trailer]);
  };
  const answer = { host: "h", bytes, header: () => undefined } as unknown as Answer; // unframed uses these alone
  let text = "";
  for await (const part of unframed(answer, () => {})) text += part.toString();
  return text;
}

test("an answer has one message or none", async () => {
  expect(await read(toFrame(Buffer.from("one")))).toBe("one");
  expect(await read(toFrame(Buffer.alloc(0)))).toBe("");
  expect(await read()).toBe("");
});

test("two messages in one answer are refused, also if one is empty", async () => {
  const problem = { problem: { code: "api.unexpected", what: "two answers to one call" } };
  await expect(read(toFrame(Buffer.from("one")), toFrame(Buffer.from("two")))).rejects.toMatchObject(problem);
  await expect(read(toFrame(Buffer.alloc(0)), toFrame(Buffer.from("two")))).rejects.toMatchObject(problem);
});
