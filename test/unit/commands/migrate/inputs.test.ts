import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { amountRead } from "../../../../src/commands/migrate/inputs.ts";
import { createCleanUp } from "../../../../src/io/clean-up.ts";
import { openInput } from "../../../../src/io/input/input.ts";
import { RowReader } from "../../../../src/io/rows/row-reader.ts";
import { tempDir } from "../../../helpers/temp-dir.ts";

const LINE = `${JSON.stringify({ user_id: "auth0|1", email: "ann@example.com" })}\n`;

async function readerOf(stdin?: Readable): Promise<RowReader> {
  const cwd = tempDir();
  const name = stdin === undefined ? "users" : "-";
  writeFileSync(join(cwd, "users"), LINE);
  const { signal } = new AbortController();
  const options = {
    cwd,
    stdin: stdin ?? Readable.from([]),
    signal,
    cleanUp: createCleanUp(),
    flag: "--users",
    twice: true,
  };
  const file = await openInput(name, options);
  const reader = new RowReader({ name, files: [file] }, { shape: { kind: "rows" }, strictLines: false });
  onTestFinished(() => file.close());
  return reader;
}

async function readAll(reader: RowReader): Promise<void> {
  for await (const block of reader.blocks()) reader.counted(block.count);
}

test("users who are read several times are done when they were read the last time", async () => {
  const users = await readerOf();
  const rows = { users, credentials: undefined };
  expect(amountRead(rows, 2)).toEqual({ done: 0, total: 2 * LINE.length });
  await readAll(users);
  expect(amountRead(rows, 2)).toEqual({ done: LINE.length, total: 2 * LINE.length });
  const again = await users.again();
  await readAll(again);
  expect(amountRead(rows, 2)).toEqual({ done: 2 * LINE.length, total: 2 * LINE.length });
  await again.close();
});

test("the size of a pipe is unknown, and it can be read any number of times", async () => {
  const users = await readerOf(Readable.from([LINE]));
  await readAll(users);
  expect(amountRead({ users, credentials: undefined }, 3)).toEqual({ done: LINE.length });
  const second = await users.again();
  await readAll(second);
  const third = await second.again();
  await readAll(third);
});
