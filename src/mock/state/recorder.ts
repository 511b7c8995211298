import { closeSync, createReadStream, ftruncateSync, mkdirSync, openSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { applyChange, type Change, createState, type State } from "./state.ts";
import type { Recorder } from "./store.ts";

/** The file of `--data`, and the state that it held. */
export interface KeptState {
  readonly state: State;
  readonly recorder: Recorder;
  /** Empties the file. */
  clear(): void;
  close(): void;
}

const COMMIT = '"commit"';
const FLUSH_CHARACTERS = 1024 * 1024;

/**
 * Opens `<dir>/state.ndjson`: one line per change, so that the cost of a call does not grow with the state. A line `"commit"`
 * ends the changes of one call. Lines after the last commit are the rest of a crash and are dropped.
 */
export async function openKeptState(dir: string): Promise<KeptState> {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const path = join(dir, "state.ndjson");
  const state = createState();
  const goodBytes = await replay(path, state);
  const fd = openSync(path, "a", 0o600);
  ftruncateSync(fd, goodBytes);
  let lines: string[] = [];
  let characters = 0;
  const flush = (): void => {
    for (let bytes = Buffer.from(lines.join("")); bytes.length > 0; ) bytes = bytes.subarray(writeSync(fd, bytes));
    lines = [];
    characters = 0;
  };
  const add = (line: string): void => {
    lines.push(`${line}\n`);
    characters += line.length;
    if (characters > FLUSH_CHARACTERS) flush();
  };
  return {
    state,
    recorder: {
      record: (change) => add(JSON.stringify(change)),
      commit() {
        add(COMMIT);
        flush();
      },
    },
    clear() {
      lines = [];
      characters = 0;
      ftruncateSync(fd, 0);
    },
    close: () => closeSync(fd),
  };
}

/** Applies every committed change; returns the number of bytes up to the last commit. */
async function replay(path: string, state: State): Promise<number> {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return 0;
  let pending: Change[] = [];
  let bytes = 0;
  let goodBytes = 0;
  for await (const line of linesOf(path)) {
    bytes += line.length + 1;
    const text = line.toString();
    if (text !== COMMIT) {
      const change = changeOf(text);
      if (change === undefined) return goodBytes; // a crash cut the line
      pending.push(change);
      continue;
    }
    for (const change of pending) applyChange(state, change);
    pending = [];
    goodBytes = bytes;
  }
  return goodBytes;
}

function changeOf(text: string): Change | undefined {
  try {
    const change: Change = JSON.parse(text); // written by `record` alone
    return change;
  } catch {
    return undefined;
  }
}

/** Lines that end in a line feed. */
async function* linesOf(path: string): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    const block = rest.length === 0 ? (chunk as Buffer) : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = block.indexOf(10); end >= 0; end = block.indexOf(10, start)) {
      yield block.subarray(start, end);
      start = end + 1;
    }
    rest = Buffer.from(block.subarray(start));
  }
}
