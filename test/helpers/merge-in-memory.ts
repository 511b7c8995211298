import { setImmediate } from "node:timers/promises";
import type { Verifier } from "../../src/contract/verifiers.ts";
import type { MergeResult } from "../../src/core/merge/counts.ts";
import type { InputShape } from "../../src/core/merge/input-shape.ts";
import type { SameName } from "../../src/core/merge/join/packed-join.ts";
import { merge } from "../../src/core/merge/merge.ts";
import type { RowKind } from "../../src/core/merge/merge-job.ts";
import { createCleanUp } from "../../src/io/clean-up.ts";
import type { Input } from "../../src/io/input/input.ts";
import { partFiles } from "../../src/io/part-files.ts";
import { RowReader } from "../../src/io/rows/row-reader.ts";
import { FileRowSpool } from "../../src/io/rows/row-spool.ts";
import { ProblemError, type RowProblem, type RunProblem } from "../../src/problem.ts";
import { auth0 } from "../../src/sources/auth0/source.ts";
import type { Source } from "../../src/sources/source.ts";
import { rowsShape } from "./rows-shape.ts";
import { settingsOf } from "./settings-of.ts";

export interface MergeOutcome {
  /** The entries as they stand in the body, without the separators, those of other organizations by their ids. */
  readonly entries: readonly string[];
  readonly otherOrgs: Readonly<Record<string, readonly string[]>>;
  readonly metadata: string;
  readonly links: string;
  readonly users: readonly string[];
  readonly credentials: readonly string[];
  readonly reasons: readonly RowProblem[];
  readonly counts: MergeResult | undefined;
  /** What stopped the run, if anything did. */
  readonly problem: RunProblem | undefined;
}

export interface MergeOptions {
  readonly source?: Source;
  readonly multiline?: boolean;
  readonly emailVerified?: boolean;
  readonly verifiers?: readonly Verifier[];
  readonly unverifiable?: "reject" | "drop" | "later";
  readonly sameName?: SameName;
  /** Reads all users once before the first one is judged, as every run does that links or rejects users with one name. */
  readonly findsSharedNames?: boolean;
  /** Of the source's own options. */
  readonly given?: Readonly<Record<string, readonly string[]>>;
  readonly orgs?: ReadonlyMap<string, string>;
  /** How rows are read: every one parsed, or ordinary ones as bytes. */
  readonly reading?: "careful" | "bytes";
  /** Bytes that each read delivers at most: chunk boundaries anywhere. */
  readonly chunkBytes?: number;
  /** Called before entries are taken, as a slow or full disk would. */
  readonly beforeWrite?: () => void;
  readonly seeds?: Uint32Array;
  /** In so many parts the join is kept on disk; absent: in memory. */
  readonly parts?: number | undefined;
}

/** Runs the merge over bytes in memory. */
export function mergeInMemory(
  users: string | Buffer,
  credentials: string | Buffer | undefined,
  options: MergeOptions = {},
): Promise<MergeOutcome> {
  const { chunkBytes = Number.POSITIVE_INFINITY, multiline = false, source = auth0 } = options;
  const { users: usersInput, credentials: credentialsInput } = source;
  const reader = (name: string, content: string | Buffer, shape: InputShape = { kind: "rows" }): RowReader => {
    const files = [memoryInput(name, Buffer.from(content as string), chunkBytes)];
    const rows = rowsShape(shape, Buffer.from(content as string), multiline);
    return new RowReader({ name, files }, { shape: rows, strictLines: multiline });
  };
  return mergeRows(
    reader("users", users, usersInput.shape),
    credentials === undefined ? undefined : reader("passwords", credentials, credentialsInput?.shape),
    options,
  );
}

/** Runs the merge over rows. */
export async function mergeRows(
  users: RowReader,
  credentials: RowReader | undefined,
  {
    emailVerified,
    reading = "bytes",
    source = auth0,
    verifiers = ["bcrypt"],
    unverifiable = "reject",
    sameName = "password",
    findsSharedNames = false,
    given = {},
    orgs = new Map(),
    beforeWrite,
    seeds,
    parts,
  }: MergeOptions,
): Promise<MergeOutcome> {
  const entries: string[] = [];
  const otherOrgs: Record<string, string[]> = {};
  const rows: Record<RowKind, string[]> = { users: [], credentials: [] };
  const reasons: RowProblem[] = [];
  let metadata = "";
  let links = "";
  const { signal } = new AbortController();
  const cleanUp = createCleanUp();
  const outcome = { entries, otherOrgs, ...rows, reasons };
  try {
    const counts = await merge({
      users,
      credentials,
      readers: source.createRows(settingsOf(source, given), new Date(0)),
      isEmailVerified: emailVerified,
      hashes: { verifiers: new Set(verifiers), unverifiable },
      isCareful: reading === "careful",
      seeds: seeds ?? new Uint32Array([1, 2, 3]),
      sameName,
      findsSharedNames: findsSharedNames || sameName === "link" || sameName === "reject",
      mainOrg: "",
      orgs,
      parts: parts === undefined ? undefined : partFiles({ parts, chunkWords: 16 }, cleanUp, signal),
      createSpool: () => new FileRowSpool(cleanUp, signal),
      rejects: {
        row: (kind, { bytes }) => rows[kind].push(bytes.toString("latin1")),
        reason: (fault, file, line) => reasons.push({ ...fault, file, line } as RowProblem),
      },
      // Not at once: the caller must not change the buffer until it is read.
      write: async (buffer, orgId) => {
        await setImmediate();
        beforeWrite?.();
        const into: string[] = orgId === undefined ? entries : (otherOrgs[orgId] ?? []);
        if (orgId !== undefined) otherOrgs[orgId] = into;
        for (let at = 0; at < buffer.count; at += 1) into.push(buffer.slice(at, at + 1).toString("utf8", 2));
        metadata += buffer.beside("userMetadata", 0, buffer.count);
        links += buffer.beside("userLinks", 0, buffer.count);
      },
      progress() {},
    });
    return { ...outcome, metadata, links, counts, problem: undefined };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return { ...outcome, metadata, links, counts: undefined, problem: error.problem };
  } finally {
    cleanUp.runAll();
  }
}

export function memoryInput(file: string, content: Buffer, chunkBytes: number): Input {
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
