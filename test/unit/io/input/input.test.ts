import { appendFileSync, constants, openSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { createCleanUp } from "../../../../src/io/clean-up.ts";
import { type Document, openDocument } from "../../../../src/io/input/document.ts";
import { type Input, openInput } from "../../../../src/io/input/input.ts";
import { type InputOptions, onceWritten } from "../../../../src/io/input/open.ts";
import { ProblemError } from "../../../../src/problem.ts";
import { hasPipes, makePipe } from "../../../helpers/pipes.ts";
import { tempDir } from "../../../helpers/temp-dir.ts";

const MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const TEXT = Array.from({ length: 30_000 }, (_, n) => `{"line":${n},"text":"ünïcode"}\n`).join("");
/** More than a chunk of anything. */
const BYTES = Buffer.from(TEXT);

function options(more: Partial<InputOptions> = {}): InputOptions {
  return {
    cwd: "/",
    stdin: Readable.from([]),
    signal: new AbortController().signal,
    cleanUp: createCleanUp(),
    flag: "--users",
    ...more,
  };
}

async function readAll(input: Input): Promise<string> {
  const chunks: Buffer[] = [];
  for (;;) {
    const into = Buffer.alloc(10_000);
    const length = await input.read(into);
    if (length === 0) return Buffer.concat(chunks).toString();
    chunks.push(into.subarray(0, length));
  }
}

async function readExtent(document: Document, start: number, end: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of document.read({ start, end })) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/** Ways for bytes to come in: each gives the path to open and, where it is stdin, the stream. */
const ways: Record<string, (content: Buffer) => { path: string; stdin?: Readable }> = {
  "a file": (content) => {
    const path = join(tempDir(), "file");
    writeFileSync(path, content);
    return { path };
  },
  stdin: (content) => ({ path: "-", stdin: Readable.from(slices(content), { objectMode: false }) }),
  ...(hasPipes && {
    "a named pipe": (content: Buffer) => {
      const path = makePipe();
      void writeFile(path, content);
      return { path };
    },
  }),
};

/** Pieces with the first bytes one by one, so that a signature of several bytes is cut. */
function slices(content: Buffer): Buffer[] {
  return [0, 1, 2, 3, 4, 5_000].map((at, index, all) => content.subarray(at, all[index + 1] ?? content.length));
}

const forms: Record<string, (content: Buffer) => Buffer> = {
  plain: (content) => content,
  "with a byte order mark": (content) => Buffer.concat([MARK, content]),
  gzip: (content) => gzipSync(content),
  "gzip with a byte order mark inside": (content) => gzipSync(Buffer.concat([MARK, content])),
  "gzip in two members": (content) =>
    Buffer.concat([gzipSync(content.subarray(0, 5_000)), gzipSync(content.subarray(5_000))]),
};

const cases = Object.entries(ways).flatMap(([wayName, way]) =>
  Object.entries(forms).map(([formName, form]) => [wayName, formName, way, form] as const),
);

test.each(cases)("%s, %s, is read in order, twice", async (_way, _form, way, form) => {
  const { path, ...more } = way(form(BYTES));
  const input = await openInput(path, options({ twice: true, ...more }));
  expect((await readAll(input)) === TEXT).toBe(true);
  const again = await input.again();
  expect((await readAll(again)) === TEXT).toBe(true);
  await again.close();
  await input.close();
});

test.each(cases)("%s, %s, is read as a document by extents", async (_way, _form, way, form) => {
  const { path, ...more } = way(form(BYTES));
  const document = await openDocument(path, options(more));
  onTestFinished(() => document.close());
  expect(document.bytes).toBe(BYTES.length);
  for (const [start, end] of [
    [0, BYTES.length],
    [1, 2],
    [600_001, 900_000],
    [7, 7],
  ] as const) {
    expect((await readExtent(document, start, end)).equals(BYTES.subarray(start, end))).toBe(true);
  }
});

test.each([
  ["nothing", ""],
  ["one byte", "x"],
  ["the first byte of gzip alone", "\x1f"],
  ["two bytes of a byte order mark", "\xef\xbb"],
])("%s is read unchanged", async (_, content) => {
  for (const way of Object.values(ways)) {
    const { path, ...more } = way(Buffer.from(content, "latin1"));
    const input = await openInput(path, options(more));
    const into = Buffer.alloc(9);
    expect(into.toString("latin1", 0, await input.read(into))).toBe(content);
    await input.close();
  }
});

test.each([openInput, openDocument])("says what is wrong with a path (%O)", async (open) => {
  const codeOf = async (path: string, more: Partial<InputOptions> = {}): Promise<unknown> => {
    const error: unknown = await open(path, options(more)).catch((cause: unknown) => cause);
    return error instanceof ProblemError ? error.problem.code : error;
  };
  const file = join(tempDir(), "file");
  writeFileSync(file, "x");
  expect(await codeOf("/no/such/file")).toBe("input.missing");
  expect(await codeOf(`${file}/below`)).toBe("input.missing");
  expect(await codeOf(tempDir())).toBe("input.directory");
  expect(await codeOf("-", { stdin: Object.assign(Readable.from([]), { isTTY: true }) })).toBe("input.terminal");
});

test("a folder of rejects is answered with the file in it", async () => {
  const folder = tempDir();
  for (const name of ["passwords.ndjson", "reasons.ndjson", "users.ndjson"]) writeFileSync(join(folder, name), "{}");
  await expect(openInput(folder, { ...options(), flag: "--users" })).rejects.toMatchObject({
    problem: { code: "input.directory", file: folder, inside: { flag: "--users", path: join(folder, "users.ndjson") } },
  });
});

test.each([
  ["was not read to its end", 1],
  ["was read to its end", Number.POSITIVE_INFINITY],
])("a compressed file that %s is opened again", async (_, reads) => {
  const path = join(tempDir(), "file.gz");
  writeFileSync(path, gzipSync(BYTES));
  const input = await openInput(path, options({ twice: true }));
  const into = Buffer.alloc(100_000);
  for (let read = 0; read < reads && (await input.read(into)) > 0; read += 1);
  const again = await input.again();
  expect((await readAll(again)) === TEXT).toBe(true);
  await again.close();
  appendFileSync(path, "more");
  await expect(input.again()).rejects.toThrow("input.changed");
  await input.close();
});

test("an input or document that changed while it was read is refused", async () => {
  const file = join(tempDir(), "file");
  writeFileSync(file, "before");
  const input = await openInput(file, options());
  const document = await openDocument(file, options());
  appendFileSync(file, " and after");
  await expect(input.again()).rejects.toThrow("input.changed");
  await expect(readExtent(document, 0, 3)).rejects.toThrow("input.changed");
  await expect(readExtent(document, 0, 600)).rejects.toThrow("input.changed");
  await input.close();
  await document.close();
});

const truncated = gzipSync(BYTES);
const lengths = [2, 3, 9, 10, 11, 18, 100, 1_000, truncated.length >> 1, truncated.length - 9, truncated.length - 1];

test.each(lengths)("gzip that ends after %i bytes is reported when it is read", async (length) => {
  for (const way of Object.values(ways)) {
    const { path, ...more } = way(truncated.subarray(0, length));
    const input = await openInput(path, options(more));
    // The reader may do other work first.
    for (let turn = 0; turn < 20; turn += 1) await new Promise((done) => setImmediate(done));
    await expect(readAll(input)).rejects.toMatchObject({ problem: { code: "input.gzip", truncated: true } });
    await input.close();
  }
});

test.runIf(hasPipes)("a named pipe without a writer is waited for until the run is interrupted", async () => {
  const controller = new AbortController();
  const reason = new ProblemError({ code: "run.aborted", signal: "SIGINT" });
  const input = await openInput(makePipe(), options({ signal: controller.signal }));
  const document = openDocument(makePipe(), options({ signal: controller.signal }));
  const read = input.read(Buffer.alloc(1));
  setImmediate(() => controller.abort(reason));
  await Promise.all([expect(read).rejects.toBe(reason), expect(document).rejects.toBe(reason)]);
  await input.close();
});

test.runIf(hasPipes)("a named pipe with a late writer is read to its end", async () => {
  const path = makePipe();
  const input = await openInput(path, options());
  const read = readAll(input);
  setImmediate(() => void writeFile(path, "late"));
  expect(await read).toBe("late");
  await input.close();
});

test.runIf(hasPipes)("a pipe that seems ended without a writer waits for its first writer", async () => {
  const pipe = makePipe();
  const fd = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  const content = (async () => {
    const chunks: Buffer[] = [];
    for await (const chunk of onceWritten(fd, new AbortController().signal)) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  })();
  setImmediate(() => void writeFile(pipe, "\0late"));
  expect(await content).toBe("\0late");
  const controller = new AbortController();
  const silent = openSync(makePipe(), constants.O_RDONLY | constants.O_NONBLOCK);
  const waiting = onceWritten(silent, controller.signal).next();
  controller.abort();
  await expect(waiting).rejects.toThrow();
});
