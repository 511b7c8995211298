import { accessSync, constants, openSync } from "node:fs";
import { Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { outputProblem } from "../attempt.ts";
import type { Output } from "./sink.ts";

const WAIT_FOR_READER_MS = 50;

/**
 * An output to a FIFO or a process substitution, written by the event loop: a late or slow reader must not hold up Ctrl-C. The first
 * write opens it. Raises output.unwritable, and ReaderGone when the reader closes the pipe.
 */
export function pipeOutput(path: string, goal: string, signal: AbortSignal): Output {
  accessSync(goal, constants.W_OK);
  let opened: Promise<Socket> | undefined;
  let last: Promise<void> = Promise.resolve();
  const send = async (bytes: Uint8Array): Promise<void> => {
    try {
      opened ??= openForReader(goal, signal);
      await write(await opened, bytes);
      signal.throwIfAborted(); // Node 20 reports an interrupted write as a success
    } catch (cause) {
      signal.throwIfAborted();
      throw outputProblem(path)(cause);
    }
  };
  return {
    path,
    isRevocable: false,
    write(bytes) {
      // The bytes are copied: a caller may reuse its buffer while the pipe still holds a reference.
      const copy = Buffer.from(bytes);
      last = last.then(() => send(copy));
      last.catch(() => {}); // `commit` raises it as well
      return last;
    },
    close() {},
    async commit() {
      await last;
      const socket = await opened;
      if (socket === undefined) return;
      const closed = new Promise((done) => socket.once("close", done));
      socket.end();
      await closed;
      signal.throwIfAborted();
    },
    discard: () => void opened?.then((socket) => socket.destroy()).catch(() => {}),
  };
}

/** Waits until the FIFO has a reader. Opening it without blocking fails before that. */
async function openForReader(goal: string, signal: AbortSignal): Promise<Socket> {
  for (;;) {
    signal.throwIfAborted();
    try {
      const fd = openSync(goal, constants.O_WRONLY | constants.O_NONBLOCK);
      const socket = new Socket({ fd, readable: false, writable: true });
      socket.on("error", () => {}); // the write raises it
      signal.addEventListener("abort", () => socket.destroy());
      return socket;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENXIO") throw error;
      await setTimeout(WAIT_FOR_READER_MS, undefined, { signal });
    }
  }
}

function write(socket: Socket, bytes: Uint8Array): Promise<void> {
  return new Promise((done, fail) => {
    socket.write(bytes, (error) => (error ? fail(error) : done()));
  });
}
