import { closeSync, existsSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
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

const COMMIT = '"commit"\n';

/**
 * Opens `<dir>/state.ndjson`: one line per change, so that the cost of a call does not grow with the state. A line `"commit"`
 * ends the changes of one call. Lines after the last commit are the rest of a crash and are dropped.
 */
export function openKeptState(dir: string): KeptState {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const path = join(dir, "state.ndjson");
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  const end = text.lastIndexOf(COMMIT);
  const committed = end < 0 ? "" : text.slice(0, end + COMMIT.length);
  const state = createState();
  for (const line of committed.split("\n")) {
    if (line.startsWith("{")) applyChange(state, JSON.parse(line));
  }
  const fd = openSync(path, "a", 0o600);
  ftruncateSync(fd, Buffer.byteLength(committed));
  let lines: string[] = [];
  return {
    state,
    recorder: {
      record: (change: Change) => void lines.push(`${JSON.stringify(change)}\n`),
      commit() {
        writeFileSync(fd, `${lines.join("")}${COMMIT}`);
        lines = [];
      },
    },
    clear() {
      lines = [];
      ftruncateSync(fd, 0);
    },
    close: () => closeSync(fd),
  };
}
