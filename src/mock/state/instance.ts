import type { Grant } from "../http/auth.ts";
import type { Background } from "../http/background.ts";
import type { Faults } from "../http/faults.ts";
import type { RequestLog } from "../http/request-log.ts";
import type { Mimic } from "../import/import-context.ts";
import type { MessageTable } from "../protojson/message-table.ts";
import type { SourceJob } from "../routes/source-job.ts";
import type { ObjectStorage } from "./object-storage.ts";
import type { Seed } from "./seed.ts";
import type { Store } from "./store.ts";

/** Everything one mock instance is made of; handlers get it with each call. */
export interface Instance {
  readonly table: MessageTable;
  store: Store;
  readonly grants: Map<string, Grant>;
  readonly seed: Seed;
  readonly faults: Faults;
  readonly log: RequestLog;
  readonly storage: ObjectStorage;
  readonly background: Background;
  readonly sourceJobs: Map<string, SourceJob>;
  readonly mimic: Mimic;
  readonly maxRequestBytes: number;
  readonly now: () => Date;
  /** A line for the log; never holds a token, a hash or anything else of a body. */
  readonly note: (line: string) => void;
  /** Empties it and puts in again what it started with. */
  refill(): Promise<void>;
  /** Lets go of files. */
  close(): Promise<void>;
}

/** One call, its body read. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Uint8Array;
  /** Aborted when the caller hangs up. */
  readonly signal: AbortSignal;
  /** What faults say about the pace of this call. */
  readonly perUserMs: number;
  readonly stopAfterUsers?: number;
}

/** A header's value; of several the first. */
export function headerOf({ headers }: Pick<Call, "headers">, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}
