import { expect, test } from "vitest";
import { type Disk, withRoom } from "../../../../src/jobs/export/disk-room.ts";

const MB = 2 ** 20;
const chunk = Buffer.alloc(MB);

/** Writes megabytes to a disk that fills up as they come; returns how many it took. */
function fill(megabytes: number, disk: (written: number) => Disk | undefined): number {
  let written = 0;
  const sink = withRoom(
    {
      room: { folder: "/x", file: "export.json" },
      write() {
        written += 1;
      },
      discard() {},
    },
    () => disk(written),
  );
  for (let index = 0; index < megabytes; index += 1) void sink.write(chunk);
  return written;
}

test("an export ends before the disk is full", () => {
  const disk = (written: number): Disk => ({ totalBytes: 100_000 * MB, freeBytes: (1_000 - written) * MB });
  expect(fill(700, disk)).toBe(700);
  expect(() => fill(900, disk)).toThrow("output.full");
});

test("a small disk keeps a twentieth free; a disk of unknown size has no limit", () => {
  const disk = (written: number): Disk => ({ totalBytes: 400 * MB, freeBytes: (400 - written) * MB });
  expect(fill(350, disk)).toBe(350);
  expect(() => fill(400, disk)).toThrow("output.full");
  expect(fill(2_000, () => undefined)).toBe(2_000);
});
