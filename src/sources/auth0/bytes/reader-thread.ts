import { once } from "node:events";
import { parentPort, workerData } from "node:worker_threads";
import { Fingerprints } from "../../../core/join/fingerprint.ts";
import { isUtf8Block } from "../../../core/rows/parse-row.ts";
import type { RowBlock } from "../../../core/rows/row-block.ts";
import { createCleanUp } from "../../../io/clean-up.ts";
import { openInput } from "../../../io/input.ts";
import { blocksOf } from "../../../io/rows.ts";
import { ProblemError } from "../../../problem.ts";
import { Auth0Keys } from "../keys.ts";
import type { BlockParser } from "./parsed-block.ts";
import { PasswordParser } from "./password-columns.ts";
import { ProfileParser } from "./profile-columns.ts";
import type { ReaderMessage, ReaderReply, ReaderTask } from "./read-ahead.ts";

/** Blocks that may be ahead of the thread that takes them. */
const SLOTS = 6;

interface Slot {
  bytes: SharedArrayBuffer;
  ranges: SharedArrayBuffer;
  columns: SharedArrayBuffer;
}

// The thread that reads a file ahead of the one that joins it (see read-ahead.ts): the program of a worker, run on import.
const port = parentPort;
if (port === null) throw new Error("this is the program of a worker thread");
const task = workerData as ReaderTask;
const keys = new Auth0Keys(new Fingerprints(task.seeds));
const parser: BlockParser = task.rows === "users" ? new ProfileParser(keys) : new PasswordParser(keys);
const slots: Slot[] = [];
const free: number[] = [];
port.on("message", ({ slot }: ReaderReply) => free.push(slot));

try {
  await readAll();
  post({ type: "end" });
} catch (error) {
  if (!(error instanceof ProblemError)) throw error;
  post({ type: "problem", problem: error.problem });
}
port.close();

async function readAll(): Promise<void> {
  const input = await openInput(task.path, {
    cwd: "/",
    stdin: process.stdin,
    signal: new AbortController().signal,
    cleanUp: createCleanUp(),
    flag: `--${task.rows}`,
    twice: false,
  });
  const source = blocksOf({ ...input, file: task.file }, task.strictLines);
  for await (const block of source.blocks()) {
    const slot = await freeSlot();
    const { bytes, ranges, columns } = fill(slot, block);
    const shape = source.shape() ?? "lines";
    post({ type: "block", slot, count: block.count, bytes, ranges, columns, shape, taken: input.takenBytes() });
  }
  await input.close();
}

async function freeSlot(): Promise<number> {
  if (slots.length < SLOTS) return slots.push({ bytes: shared(0), ranges: shared(0), columns: shared(0) }) - 1;
  while (free.length === 0) await once(port as NonNullable<typeof port>, "message");
  return free.shift() as number; // the loop waited for one
}

/** Copies the block into the slot and reads its ordinary rows into columns there. */
function fill(index: number, block: RowBlock): Slot {
  const slot = slots[index] as Slot; // `freeSlot` made it
  const { count } = block;
  const from = block.starts[0] as number;
  const to = block.ends[count - 1] as number;
  if (slot.bytes.byteLength < to - from) slot.bytes = shared(Math.ceil((to - from) * 1.25));
  const room = slot.ranges.byteLength / 12;
  if (room < count) {
    slot.ranges = shared(2 * count * 12);
    slot.columns = shared(2 * count * parser.words * 4);
  }
  const rows = slot.ranges.byteLength / 12;
  const copy: RowBlock = {
    bytes: Buffer.from(slot.bytes),
    count,
    starts: new Uint32Array(slot.ranges, 0, rows),
    ends: new Uint32Array(slot.ranges, rows * 4, rows),
    lines: new Uint32Array(slot.ranges, rows * 8, rows),
  };
  block.bytes.copy(copy.bytes, 0, from, to);
  for (let row = 0; row < count; row += 1) {
    copy.starts[row] = (block.starts[row] as number) - from;
    copy.ends[row] = (block.ends[row] as number) - from;
    copy.lines[row] = block.lines[row] as number;
  }
  const columns = new Uint32Array(slot.columns);
  if (isUtf8Block(block)) parser.parse(copy, columns);
  else columns.fill(0, 0, count * parser.words);
  return slot;
}

function shared(bytes: number): SharedArrayBuffer {
  return new SharedArrayBuffer(bytes);
}

function post(message: ReaderMessage): void {
  port?.postMessage(message);
}
