import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { createCleanUp } from "../../../../src/io/clean-up.ts";
import { openLater } from "../../../../src/io/input/later.ts";
import { tempDir } from "../../../helpers/temp-dir.ts";

const options = (cwd: string) => ({
  cwd,
  stdin: Readable.from([]),
  signal: new AbortController().signal,
  cleanUp: createCleanUp(),
  flag: "--users",
});

test("is opened by the first read and closed after the last", async () => {
  const cwd = tempDir();
  writeFileSync(join(cwd, "a.json"), "what was first");
  const input = openLater("a.json", options(cwd));
  writeFileSync(join(cwd, "a.json"), "what was later");
  const into = Buffer.alloc(100);
  expect(input.takenBytes()).toBe(0);
  expect(into.toString("utf8", 0, await input.read(into))).toBe("what was later");
  expect(await input.read(into)).toBe(0);
  expect([input.takenBytes(), await input.read(into)]).toEqual([14, 0]);
  await input.close();
  const second = await input.again();
  expect(into.toString("utf8", 0, await second.read(into))).toBe("what was later");
  await second.close();
});

test("reads gzip, and can be closed unread", async () => {
  const cwd = tempDir();
  writeFileSync(join(cwd, "a.json.gz"), gzipSync("packed"));
  const input = openLater("a.json.gz", options(cwd));
  expect(input).toMatchObject({ isCompressed: true, sizeBytes: readFileSync(join(cwd, "a.json.gz")).length });
  const into = Buffer.alloc(100);
  expect(into.toString("utf8", 0, await input.read(into))).toBe("packed");
  await input.close();
  await openLater("a.json.gz", options(cwd)).close();
});

test("raises a problem when it is read, if not before", async () => {
  const cwd = tempDir();
  expect(() => openLater("none.json", options(cwd))).toThrow("input.missing");
  mkdirSync(join(cwd, "folder.json"));
  await expect(openLater("folder.json", options(cwd)).read(Buffer.alloc(1))).rejects.toThrow("input.directory");
  writeFileSync(join(cwd, "gone.json"), "x");
  const gone = openLater("gone.json", options(cwd));
  rmSync(join(cwd, "gone.json"));
  await expect(gone.read(Buffer.alloc(1))).rejects.toThrow("input.missing");
});
