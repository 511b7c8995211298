import { once } from "node:events";
import { parentPort, workerData } from "node:worker_threads";
import { CredentialColumns } from "../../core/merge/fast/credential-columns.ts";
import { NestedColumns } from "../../core/merge/fast/nested-columns.ts";
import { UserColumns } from "../../core/merge/fast/user-columns.ts";
import { UserKeys } from "../../core/merge/join/user-keys.ts";
import { Documents } from "../../core/rows/documents.ts";
import { type ColumnParser, type ParsedBlock, parseInto } from "../../core/rows/fast/columns.ts";
import type { RowBlock } from "../../core/rows/row-block.ts";
import { Fingerprints } from "../../core/tables/fingerprint.ts";
import { ProblemError, type RunProblem } from "../../problem.ts";
import { createCleanUp } from "../clean-up.ts";
import { openInput } from "../input/input.ts";
import { blocksOf } from "./block-source.ts";
import { type ReaderMessage, type ReaderReply, type ReaderTask, type Slot, viewsOf } from "./read-ahead.ts";

/** Blocks that the thread may be ahead. */
const SLOTS = 3;
/** Larger than in one thread: waking the other thread costs as much as parsing a hundred rows. */
const BLOCK_BYTES = 2 ** 20;

// The program of the thread that reads a file ahead (see read-ahead.ts); it runs on import.
const port = parentPort;
if (port === null) throw new Error("this is the program of a worker thread");
const task = workerData as ReaderTask;
const parser = createParser(task);
const slots: Omit<ParsedBlock, "count">[] = [];
const free: number[] = [];
port.on("message", ({ slot }: ReaderReply) => free.push(slot));

void run().finally(() => port.close());

function createParser({ rows, columns }: ReaderTask): ColumnParser | undefined {
  if (columns === undefined) return undefined;
  const { fields, ownIdPrefix, seeds } = columns;
  const keys = new UserKeys(new Fingerprints(seeds), ownIdPrefix);
  if (rows === "users" && fields.nestedUsers !== undefined) return new NestedColumns(fields.nestedUsers, keys);
  if (rows === "users" && fields.users !== undefined) return new UserColumns(fields.users, keys);
  if (rows === "credentials" && fields.credentials !== undefined)
    return new CredentialColumns(fields.credentials, keys);
  throw new Error("no field table for this file");
}

async function run(): Promise<void> {
  try {
    await readAll();
    post({ type: "end" });
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    // Problems name the file as the user named it.
    post({ type: "problem", problem: { ...error.problem, file: task.file } as RunProblem });
  }
}

async function readAll(): Promise<void> {
  const input = await openInput(task.path, {
    cwd: "/",
    stdin: process.stdin,
    signal: new AbortController().signal,
    cleanUp: createCleanUp(),
    flag: "",
    twice: false,
    isAhead: true,
  });
  const { shape: inputShape, document } = task.form;
  const documents = inputShape.kind === "document" ? new Documents(inputShape, document) : undefined;
  const found = documents === undefined ? {} : { documents };
  const source = await blocksOf({ ...input, file: task.file }, task.form, { blockBytes: BLOCK_BYTES, ...found });
  for await (const block of source.blocks()) {
    const slot = await freeSlot();
    fill(slot, block);
    const [shape, frame] = [source.shape() ?? "lines", source.frame()];
    post({ type: "block", slot, count: block.count, shape, frame, taken: input.takenBytes() });
  }
  await input.close();
  const problem = documents?.problem(task.file);
  if (problem !== undefined) throw new ProblemError(problem);
}

async function freeSlot(): Promise<number> {
  if (slots.length < SLOTS) return slots.push(viewsOf({ bytes: shared(0), ranges: shared(0), columns: shared(0) })) - 1;
  while (free.length === 0) await once(port as NonNullable<typeof port>, "message");
  return free.shift() as number; // the loop waited for it
}

/** Copies the block into the slot and parses its rows into the slot's columns. */
function fill(slot: number, block: RowBlock): void {
  const { count } = block;
  const from = block.starts[0] as number;
  const to = block.ends[count - 1] as number;
  const { bytes, starts, ends, lines, columns } = roomFor(slot, to - from, count);
  block.bytes.copy(bytes, 0, from, to);
  for (let row = 0; row < count; row += 1) {
    starts[row] = (block.starts[row] as number) - from;
    ends[row] = (block.ends[row] as number) - from;
    lines[row] = block.lines[row] as number;
  }
  if (parser !== undefined) parseInto(parser, { bytes, count, starts, ends, lines }, columns);
}

/** The slot's memory; replaced and announced if it is too small. */
function roomFor(slot: number, length: number, count: number): Omit<ParsedBlock, "count"> {
  const known = slots[slot] as Omit<ParsedBlock, "count">; // `freeSlot` created it
  if (known.bytes.length >= length && known.starts.length >= count) return known;
  const rows = Math.max(known.starts.length, Math.ceil(count * 1.1));
  const memory: Slot = {
    bytes: shared(Math.max(known.bytes.length, Math.ceil(length * 1.1))),
    ranges: shared(rows * 12),
    columns: shared(rows * (parser?.words ?? 0) * 4),
  };
  post({ type: "slot", slot, memory });
  const views = viewsOf(memory);
  slots[slot] = views;
  return views;
}

function shared(bytes: number): SharedArrayBuffer {
  return new SharedArrayBuffer(bytes);
}

function post(message: ReaderMessage): void {
  port?.postMessage(message);
}
