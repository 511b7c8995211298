import { expect, test } from "vitest";
import { readManifest } from "../../../../src/jobs/undo/read-manifest.ts";

const head = { kind: "manifest", schemaVersion: 1, job: "j", target: "https://t", input: "ab" };
const end = (users: number) => ({ kind: "end", users, withoutId: 0, others: {} });

/** Reads lines as a manifest, in reused chunks of a few bytes. */
function manifestOf(lines: readonly object[], { ending = "\n", size = 7 } = {}) {
  const whole = Buffer.from(lines.map((line) => `${JSON.stringify(line)}${ending}`).join(""));
  async function* read() {
    const chunk = Buffer.alloc(size);
    for (let at = 0; at < whole.length; at += size) yield chunk.subarray(0, whole.copy(chunk, 0, at, at + size));
  }
  return readManifest({ path: "m", bytes: whole.length, read, async close() {} });
}

test("a manifest is read line by line, with any ids", async () => {
  const odd = ["ü", "a\u2028b\u2029c", "漢字", "x\ry"];
  for (const ending of ["\n", "\r\n"]) {
    const { users } = await manifestOf([head, ...odd.map((id) => ({ id })), end(4)], { ending });
    expect(users).toEqual(odd.map((id, at) => ({ id, line: at + 2 })));
  }
});

test("an id that is listed twice is one user, and the manifest is whole", async () => {
  expect((await manifestOf([head, { id: "a" }, { id: "b" }, { id: "a" }, end(3)])).users).toHaveLength(2);
});

test.each([
  ["without its end", [head, { id: "a" }]],
  ["that lacks a user", [head, { id: "a" }, end(2)]],
  ["with something behind its end", [head, end(0), { id: "a" }]],
  ["without its head", [{ id: "a" }, end(1)]],
  ["that is empty", []],
])("a manifest %s is none", async (_, lines) => {
  await expect(manifestOf(lines)).rejects.toMatchObject({ problem: { code: "input.not-a-manifest", file: "m" } });
});
