import { on } from "node:events";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { RowKind } from "../../core/merge/merge-job.ts";
import type { FastFields } from "../../core/merge/reading.ts";
import type { ParsedBlock } from "../../core/rows/fast/columns.ts";
import type { RowBlock, Shape } from "../../core/rows/row-block.ts";
import { type BlockSource, LINES, type RowFrame } from "../../core/rows/row-file.ts";
import { ProblemError, type RunProblem } from "../../problem.ts";
import type { RowForm } from "./block-source.ts";
import { RowReader } from "./row-reader.ts";

/** The task of the reading thread. */
export interface ReaderTask {
  readonly path: string;
  readonly file: string;
  readonly form: RowForm;
  readonly rows: RowKind;
  /** undefined: the thread splits the file into rows and does not parse them. */
  readonly columns: ColumnSettings | undefined;
}

/** How columns are parsed; plain data, so that it can be sent to a thread. */
export interface ColumnSettings {
  readonly fields: FastFields;
  readonly ownIdPrefix: string;
  /** Three random words, the same as those of the join. */
  readonly seeds: Uint32Array;
}

/** Memory of one block, shared by both threads. */
export interface Slot {
  readonly bytes: SharedArrayBuffer;
  readonly ranges: SharedArrayBuffer;
  readonly columns: SharedArrayBuffer;
}

/** Messages of the reading thread. It reuses a slot only after the slot was returned. */
export type ReaderMessage =
  | { readonly type: "slot"; readonly slot: number; readonly memory: Slot }
  | {
      readonly type: "block";
      readonly slot: number;
      readonly count: number;
      readonly shape: Shape;
      readonly frame: RowFrame;
      readonly taken: number;
    }
  | { readonly type: "end" }
  | { readonly type: "problem"; readonly problem: RunProblem };

/** Returns a slot. */
export interface ReaderReply {
  readonly slot: number;
}

/** False on a machine with one processor, where a second thread has no use. */
export function canReadAhead(): boolean {
  return availableParallelism() > 1;
}

/**
 * A reader of the same file whose blocks a second thread reads, frames and, with `columns`, parses ahead of the thread that joins and
 * writes. The rows and their order are the same as without the thread.
 */
export function readAhead(reader: RowReader, settings: ThreadSettings): RowReader {
  const { inputs, form, options } = reader;
  const {
    rows,
    columns,
    signal,
    isReadAgain = false,
    program = new URL("./reader-thread.cjs", import.meta.url),
  } = settings;
  signal.throwIfAborted();
  const [input] = inputs.files;
  if (input?.path === undefined || inputs.files.length > 1) throw new Error("a thread can read only a single file");
  const task: ReaderTask = { path: input.path, file: input.file, form, rows, columns };
  let taken = 0;
  const ahead = threadSource(new Worker(program, { workerData: task, ...WORKER }), signal, (bytes) => {
    taken = bytes;
  });
  const again = isReadAgain ? (next: RowReader) => readAhead(next, settings) : undefined;
  const files = [{ ...input, takenBytes: () => taken }];
  return new RowReader({ ...inputs, files }, form, { ...options, ahead, again });
}

/** Settings of a thread that reads ahead. */
export interface ThreadSettings {
  readonly rows: RowKind;
  readonly columns: ColumnSettings | undefined;
  readonly signal: AbortSignal;
  /** true: the thread reads a second pass ahead, too. */
  readonly isReadAgain?: boolean;
  /** The program of the thread; tests name the built one. */
  readonly program?: URL;
}

// The thread allocates almost nothing; a large young generation would only enlarge the resident set.
const WORKER = { resourceLimits: { maxYoungGenerationSizeMb: 2 } };

/** The blocks of a thread that has already started to read. */
function threadSource(worker: Worker, signal: AbortSignal, progress: (taken: number) => void): BlockSource {
  worker.on("error", () => {}); // the messages raise it; behind them it is of no interest
  const messages = on(worker, "message", { signal }) as AsyncIterableIterator<[ReaderMessage]>; // its program sends no others
  const slots = new Map<number, Omit<ParsedBlock, "count">>();
  let shape: Shape | undefined;
  let frame = LINES;
  return {
    shape: () => shape,
    frame: () => frame,
    async close() {
      await worker.terminate();
    },
    async *blocks(): AsyncGenerator<RowBlock> {
      try {
        for await (const [message] of messages) {
          signal.throwIfAborted();
          if (message.type === "end") return;
          if (message.type === "problem") throw new ProblemError(message.problem);
          if (message.type === "slot") {
            slots.set(message.slot, viewsOf(message.memory));
            continue;
          }
          ({ shape, frame } = message);
          progress(message.taken);
          const views = slots.get(message.slot);
          if (views === undefined) throw new Error("a block in an unknown slot");
          const { bytes, starts, ends, lines, columns } = views;
          const block: ParsedBlock = { bytes, count: message.count, starts, ends, lines, columns };
          yield block;
          worker.postMessage({ slot: message.slot } satisfies ReaderReply);
        }
      } catch (error) {
        signal.throwIfAborted(); // the reason of the interruption, not that the wait ended
        throw error;
      }
    },
  };
}

/** Views of a slot's memory for both threads; `ranges` has three words per row. */
export function viewsOf({ bytes, ranges, columns }: Slot): Omit<ParsedBlock, "count"> {
  const rows = ranges.byteLength / 12;
  return {
    bytes: Buffer.from(bytes),
    starts: new Uint32Array(ranges, 0, rows),
    ends: new Uint32Array(ranges, rows * 4, rows),
    lines: new Uint32Array(ranges, rows * 8, rows),
    columns: new Uint32Array(columns),
  };
}
