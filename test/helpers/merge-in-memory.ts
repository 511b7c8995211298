import { setImmediate } from "node:timers/promises";
import { createCleanUp } from "../../src/io/clean-up.ts";
import type { Input } from "../../src/io/input.ts";
import { RowReader } from "../../src/io/rows.ts";
import type { RowProblem, RunProblem } from "../../src/problem.ts";
import { mergeAuth0 } from "../../src/sources/auth0/merge.ts";
import type { Merge, MergeJob, MergeResult } from "../../src/sources/source.ts";

export interface MergeOutcome {
  /** The entries as they stand in the body, without the separators. */
  readonly entries: readonly string[];
  readonly users: readonly string[];
  readonly passwords: readonly string[];
  readonly reasons: readonly RowProblem[];
  readonly counts: MergeResult | undefined;
  /** What stopped the run, if anything did. */
  readonly problem: RunProblem | undefined;
}

export interface MergeOptions {
  readonly multiline?: boolean;
  readonly emailVerified?: boolean;
  readonly reading?: MergeJob["reading"];
  /** Bytes that each read delivers at most: chunk boundaries anywhere. */
  readonly chunkBytes?: number;
  /** Called before entries are taken, as a slow or full disk would. */
  readonly beforeWrite?: () => void;
  /** The merge to run; the one of the sources when it is not given. */
  readonly merge?: Merge;
}

/** Runs the merge over bytes in memory. */
export function mergeInMemory(
  users: string | Buffer,
  passwords: string | Buffer | undefined,
  options: MergeOptions = {},
): Promise<MergeOutcome> {
  const { chunkBytes = Number.POSITIVE_INFINITY } = options;
  const input = (file: string, content: string | Buffer): Input =>
    memoryInput(file, Buffer.from(content as string), chunkBytes);
  return mergeReaders(
    input("users", users),
    passwords === undefined ? undefined : input("passwords", passwords),
    options,
  );
}

/** Runs the merge over opened inputs. */
export async function mergeReaders(
  users: Input,
  passwords: Input | undefined,
  { multiline = false, emailVerified, reading = "bytes", merge = mergeAuth0, beforeWrite }: MergeOptions,
): Promise<MergeOutcome> {
  const entries: string[] = [];
  const rows = { users: [] as string[], passwords: [] as string[] };
  const reasons: RowProblem[] = [];
  const outcome = { entries, ...rows, reasons };
  try {
    const counts = await merge({
      users: new RowReader(users, multiline),
      passwords: passwords === undefined ? undefined : new RowReader(passwords, multiline),
      emailVerified,
      reading,
      rejects: {
        row: (kind, bytes) => rows[kind].push(Buffer.from(bytes).toString("latin1")),
        reason: (fault, file, line) => reasons.push({ ...fault, file, line } as RowProblem),
      },
      // Not at once: whoever hands the buffer over must leave it alone until it has been taken.
      write: async (buffer) => {
        await setImmediate();
        beforeWrite?.();
        for (let at = 0; at < buffer.count; at += 1) entries.push(buffer.slice(at, at + 1).toString("utf8", 2));
      },
      progress() {},
      signal: new AbortController().signal,
      cleanUp: createCleanUp(),
    });
    return { ...outcome, counts, problem: undefined };
  } catch (error) {
    // By its name: the built program has a class of its own.
    if (!(error instanceof Error) || error.name !== "ProblemError") throw error;
    return { ...outcome, counts: undefined, problem: (error as Error & { problem: RunProblem }).problem };
  }
}

function memoryInput(file: string, content: Buffer, chunkBytes: number): Input {
  let position = 0;
  return {
    file,
    sizeBytes: content.length,
    isCompressed: false,
    takenBytes: () => position,
    async read(into) {
      const length = content.copy(into, 0, position, Math.min(content.length, position + chunkBytes));
      position += length;
      return length;
    },
    again: async () => memoryInput(file, content, chunkBytes),
    async close() {},
  };
}
