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

/** What the reading thread is told. */
export interface ReaderTask {
  readonly path: string;
  readonly file: string;
  readonly form: RowForm;
  readonly rows: RowKind;
  /** undefined: the rows are found, and left to be parsed by whoever takes them. */
  readonly columns: ColumnSettings | undefined;
}

/** What columns are made of: data, so that it can be handed to a thread. */
export interface ColumnSettings {
  readonly fields: FastFields;
  readonly ownIdPrefix: string;
  /** Three random words, the same as the join's own. */
  readonly seeds: Uint32Array;
}

/** Memory of one block, shared by both threads. */
export interface Slot {
  readonly bytes: SharedArrayBuffer;
  readonly ranges: SharedArrayBuffer;
  readonly columns: SharedArrayBuffer;
}

/** What the reading thread tells. A slot is not written again before it was given back. */
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

/** Gives a slot back. */
export interface ReaderReply {
  readonly slot: number;
}

/** False on a machine with one processor, where a second thread would only take turns. */
export function canReadAhead(): boolean {
  return availableParallelism() > 1;
}

/**
 * A reader of the same file whose blocks are read, framed and, as far as `columns` say how, parsed by a second thread, ahead of the one
 * that joins and writes. The blocks' rows and their order are the same as without it.
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
  const [input] = inputs.files;
  if (input?.path === undefined || inputs.files.length > 1) throw new Error("a thread can read one file alone");
  const task: ReaderTask = { path: input.path, file: input.file, form, rows, columns };
  let taken = 0;
  const ahead = threadSource(new Worker(program, { workerData: task, ...WORKER }), signal, (bytes) => {
    taken = bytes;
  });
  const again = isReadAgain ? (next: RowReader) => readAhead(next, settings) : undefined;
  const files = [{ ...input, takenBytes: () => taken }];
  return new RowReader({ name: inputs.name, files }, form, { ...options, ahead, again });
}

/** What a thread that reads ahead is told. */
export interface ThreadSettings {
  readonly rows: RowKind;
  readonly columns: ColumnSettings | undefined;
  readonly signal: AbortSignal;
  /** true: a second pass is read ahead as well. */
  readonly isReadAgain?: boolean;
  /** The program of the thread; a test names the built one. */
  readonly program?: URL;
}

// It makes next to no garbage; a large young generation would only be a large resident set.
const WORKER = { resourceLimits: { maxYoungGenerationSizeMb: 2 } };

/** The thread has started already, so that it has read something by the time it is asked. */
function threadSource(worker: Worker, signal: AbortSignal, progress: (taken: number) => void): BlockSource {
  const inbox = new Inbox(worker);
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
      const stop = (): void => inbox.fail(signal.reason);
      signal.addEventListener("abort", stop);
      try {
        for (;;) {
          signal.throwIfAborted();
          const message = await inbox.next();
          if (message.type === "end") return;
          if (message.type === "problem") throw new ProblemError(message.problem);
          if (message.type === "slot") {
            slots.set(message.slot, viewsOf(message.memory));
            continue;
          }
          ({ shape, frame } = message);
          progress(message.taken);
          const views = slots.get(message.slot);
          if (views === undefined) throw new Error("a block in a slot that nobody announced");
          const { bytes, starts, ends, lines, columns } = views;
          const block: ParsedBlock = { bytes, count: message.count, starts, ends, lines, columns };
          yield block;
          worker.postMessage({ slot: message.slot } satisfies ReaderReply);
        }
      } finally {
        signal.removeEventListener("abort", stop);
      }
    },
  };
}

/** A slot's memory as both threads see it: room for as many rows as `ranges` has three words for. */
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

/** The messages of a thread, one by one. */
class Inbox {
  readonly #messages: ReaderMessage[] = [];
  #failure: { error: unknown } | undefined;
  #wake: () => void = () => {};

  constructor(worker: Worker) {
    worker.on("message", (message: ReaderMessage) => {
      this.#messages.push(message);
      this.#wake();
    });
    worker.on("error", (error) => this.fail(error));
  }

  fail(error: unknown): void {
    this.#failure = { error };
    this.#wake();
  }

  async next(): Promise<ReaderMessage> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure.error;
      const message = this.#messages.shift();
      if (message !== undefined) return message;
      await new Promise<void>((wake) => {
        this.#wake = wake;
      });
    }
  }
}
