import { createCipheriv, randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { createCleanUp } from "../../../src/io/clean-up.ts";
import { counterAt, Spool } from "../../../src/io/spool.ts";
import { describe as describeProblem } from "../../../src/problem/describe.ts";
import { openSpools } from "../../helpers/open-spools.ts";

function spoolOf(...pieces: readonly Uint8Array[]): Spool {
  const spool = new Spool(createCleanUp());
  onTestFinished(() => spool.remove());
  for (const piece of pieces) spool.append(piece);
  return spool;
}

/** More than stays in memory. */
const LARGE = 2 ** 18 + 1;

test("reads any bytes again, from memory and from the file", async () => {
  const bytes = randomBytes(2.5 * 2 ** 20);
  const cuts = [0, 17, 3_001, 900_000, 2_300_000, bytes.length];
  const spool = spoolOf(...cuts.slice(1).map((end, at) => bytes.subarray(cuts[at], end)));
  expect(spool.bytes).toBe(bytes.length);
  const place = fc.oneof(fc.nat(bytes.length), fc.constantFrom(0, 900_000, 2_300_000, bytes.length));
  await fc.assert(
    fc.asyncProperty(place, fc.oneof(fc.nat(700), fc.nat(bytes.length)), async (start, length) => {
      const expected = bytes.subarray(start, start + length);
      const into = Buffer.alloc(length);
      expect(spool.readAt(start, into)).toBe(expected.length);
      expect(into.subarray(0, expected.length).equals(expected)).toBe(true);
      const chunks: Buffer[] = [];
      for await (const chunk of spool.chunks(start, start + expected.length)) chunks.push(Buffer.from(chunk));
      expect(Buffer.concat(chunks).equals(expected)).toBe(true);
    }),
  );
});

test("counts blocks like the cipher, over all bits of the counter", () => {
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

test.skipIf(process.platform !== "linux")("the file is encrypted and has no name", () => {
  const secret = "passwordHash of a user. ".repeat(LARGE / 20);
  spoolOf(Buffer.from(secret));
  expect(readdirSync(tmpdir()).filter((name) => name.startsWith(`orgferry-${process.pid}-`))).toEqual([]);
  const [file] = openSpools();
  const onDisk = readFileSync(file as string);
  expect(onDisk.length).toBe(secret.length);
  expect(onDisk.includes("passwordHash")).toBe(false);
});

test("the file is deleted by `remove` and by the clean-up of a run that stops at once", () => {
  const before = openSpools().length;
  const cleanUp = createCleanUp();
  const [spool, other] = [new Spool(cleanUp), new Spool(cleanUp)];
  spool.append(Buffer.alloc(LARGE));
  spool.remove();
  spool.remove();
  other.append(Buffer.alloc(LARGE));
  expect(openSpools().length).toBe(before + 1);
  cleanUp.runAll();
  expect(openSpools().length).toBe(before);
});

test("a small spool has no file", () => {
  const before = openSpools().length;
  spoolOf(Buffer.alloc(LARGE - 1));
  expect(openSpools().length).toBe(before);
});

test.skipIf(process.platform === "win32")(
  "a problem with the folder names the variable that selects another one",
  () => {
    const before = process.env["TMPDIR"];
    onTestFinished(() => {
      if (before === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = before;
    });
    process.env["TMPDIR"] = "/nonexistent";
    const file = "/nonexistent (temporary files)";
    expect(() => spoolOf(Buffer.alloc(LARGE))).toThrow(
      expect.objectContaining({ problem: { code: "output.unwritable", file, reason: "ENOENT", flag: "TMPDIR" } }),
    );
    expect(describeProblem({ code: "output.full", file, flag: "TMPDIR" })).toEqual({
      message: `${file}: no space left on the disk.`,
      hint: "Free some space, or choose another path with TMPDIR, and run again.",
    });
  },
);
