import { createCleanUp } from "../../src/io/clean-up.ts";
import type { Input } from "../../src/io/input.ts";
import { RowReader } from "../../src/io/rows.ts";
import { ProblemError, type RowProblem, type RunProblem } from "../../src/problem.ts";
import { mergeAuth0 } from "../../src/sources/auth0/merge.ts";
import type { MergeResult } from "../../src/sources/source.ts";

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
  readonly reading?: "careful" | "bytes";
  /** Bytes that each read delivers at most: chunk boundaries anywhere. */
  readonly chunkBytes?: number;
}

/** Runs the merge over bytes in memory. */
export async function mergeInMemory(
  users: string | Buffer,
  passwords: string | Buffer | undefined,
  { multiline = false, emailVerified, reading = "bytes", chunkBytes = Number.POSITIVE_INFINITY }: MergeOptions = {},
): Promise<MergeOutcome> {
  const entries: string[] = [];
  const rows = { users: [] as string[], passwords: [] as string[] };
  const reasons: RowProblem[] = [];
  const reader = (file: string, content: string | Buffer): RowReader =>
    new RowReader(memoryInput(file, Buffer.from(content as string), chunkBytes), multiline);
  const outcome = { entries, ...rows, reasons };
  try {
    const counts = await mergeAuth0({
      users: reader("users", users),
      passwords: passwords === undefined ? undefined : reader("passwords", passwords),
      emailVerified,
      reading,
      rejects: {
        row: (kind, bytes) => rows[kind].push(Buffer.from(bytes).toString("latin1")),
        reason: (problem) => reasons.push(problem),
      },
      write: async (buffer) => {
        for (let at = 0; at < buffer.count; at += 1) entries.push(buffer.slice(at, at + 1).toString("utf8", 2));
      },
      progress() {},
      signal: new AbortController().signal,
      cleanUp: createCleanUp(),
    });
    return { ...outcome, counts, problem: undefined };
  } catch (error) {
    if (error instanceof ProblemError) return { ...outcome, counts: undefined, problem: error.problem };
    throw error;
  }
}

function memoryInput(file: string, content: Buffer, chunkBytes: number): Input {
  let position = 0;
  return {
    file,
    sizeBytes: content.length,
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
