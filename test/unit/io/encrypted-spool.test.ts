import { createCipheriv, randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { createCleanUp } from "../../../src/io/clean-up.ts";
import { counterAt, EncryptedSpool } from "../../../src/io/encrypted-spool.ts";
import { describe as describeProblem } from "../../../src/ui/describe.ts";
import { openSpools } from "../../helpers/open-spools.ts";

function spoolOf(...pieces: readonly Uint8Array[]): EncryptedSpool {
  const spool = new EncryptedSpool(createCleanUp());
  onTestFinished(() => spool.remove());
  for (const piece of pieces) spool.write(piece);
  return spool;
}

test("gives back any part of what was written, wherever it begins and in pieces of any size", async () => {
  const bytes = randomBytes(5_000);
  const spool = spoolOf(bytes.subarray(0, 17), bytes.subarray(17, 3_001), bytes.subarray(3_001));
  expect(spool.bytes).toBe(bytes.length);
  await fc.assert(
    fc.asyncProperty(fc.nat(5_100), fc.integer({ min: 1, max: 700 }), fc.nat(5), async (start, length, reads) => {
      const reader = spool.readFrom(start);
      for (let at = start, left = reads; left >= 0; at += length, left -= 1) {
        const into = Buffer.alloc(length);
        const expected = bytes.subarray(at, at + length);
        expect(await reader.read(into)).toBe(expected.length);
        expect(into.subarray(0, expected.length).equals(expected)).toBe(true);
      }
    }),
  );
});

test("counts blocks as the cipher does, over all bits of the counter", () => {
  const key = randomBytes(32);
  for (const first of ["ff".repeat(16), `${"00".repeat(12)}ffffffff`, `${"00".repeat(8)}${"ff".repeat(8)}`]) {
    const iv = Buffer.from(first, "hex");
    const stream = createCipheriv("aes-256-ctr", key, iv).update(Buffer.alloc(160));
    for (const block of [0, 1, 2, 9]) {
      const part = createCipheriv("aes-256-ctr", key, counterAt(iv, block)).update(Buffer.alloc(16));
      expect(part.equals(stream.subarray(block * 16, block * 16 + 16))).toBe(true);
    }
  }
});

test.skipIf(process.platform !== "linux")("what lies on the disk is encrypted and has no name", () => {
  const secret = "passwordHash of somebody, long enough to be found. ".repeat(40);
  spoolOf(Buffer.from(secret));
  expect(readdirSync(tmpdir()).filter((name) => name.startsWith(`orgferry-${process.pid}-`))).toEqual([]);
  const [file] = openSpools();
  const onDisk = readFileSync(file as string);
  expect(onDisk.length).toBe(secret.length);
  expect(onDisk.includes("passwordHash")).toBe(false);
});

test("is gone when it is removed, and when the run is told to stop at once", () => {
  const before = openSpools().length;
  const cleanUp = createCleanUp();
  const spool = new EncryptedSpool(cleanUp);
  spool.remove();
  spool.remove();
  new EncryptedSpool(cleanUp);
  expect(openSpools().length).toBe(before + 1);
  cleanUp.runAll();
  expect(openSpools().length).toBe(before);
});

test.skipIf(process.platform === "win32")("a folder that cannot be used is told with what names another one", () => {
  const before = process.env["TMPDIR"];
  onTestFinished(() => {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  });
  process.env["TMPDIR"] = "/nonexistent";
  const file = "/nonexistent (temporary files)";
  expect(() => new EncryptedSpool(createCleanUp())).toThrow(
    expect.objectContaining({ problem: { code: "output.unwritable", file, reason: "ENOENT", flag: "TMPDIR" } }),
  );
  expect(describeProblem({ code: "output.full", file, flag: "TMPDIR" })).toEqual({
    message: `${file}: no space left on the disk.`,
    hint: "Free some space, or name a place that has more with TMPDIR, and run again.",
  });
});
