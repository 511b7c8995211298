import type { IncomingHttpHeaders } from "node:http";
import type { Grant } from "../http/auth.ts";
import type { Background } from "../http/background.ts";
import type { Faults } from "../http/faults.ts";
import type { Missing } from "../http/groups.ts";
import type { RequestLog } from "../http/request-log.ts";
import type { ObjectStorage } from "./object-storage.ts";
import type { Seed } from "./seed.ts";
import type { SourceJob } from "./source-job.ts";
import type { Store } from "./store.ts";
import type { Traits } from "./traits.ts";
import type { VerifierName } from "./verifier-names.ts";

/** Everything one mock instance is made of; handlers get it with each call. */
export interface Instance {
  store: Store;
  readonly grants: Map<string, Grant>;
  readonly seed: Seed;
  readonly faults: Faults;
  readonly log: RequestLog;
  readonly storage: ObjectStorage;
  readonly background: Background;
  readonly sourceJobs: Map<string, SourceJob>;
  readonly traits: Traits;
  /** Groups of endpoints that this instance does not have, and the status they answer with. */
  readonly missing: Missing;
  /** What it can check a password with. */
  readonly verifiers: readonly VerifierName[];
  readonly maxRequestBytes: number;
  readonly maxResponseBytes: number;
  /** Where the instance is reached: `http://127.0.0.1:8080`. */
  readonly origin: string;
  /** The name or address it was told to listen on. */
  readonly listensOn: string;
  /** Aborted when nothing is waited for any longer. */
  readonly stopping: AbortSignal;
  /** The host name of the instance, which its organizations' domains end in. */
  readonly domain: string;
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
  /** What the route's pattern caught, decoded. */
  readonly parameters: readonly string[];
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
  /** Aborted when the caller hangs up or the server stops. */
  readonly signal: AbortSignal;
  /** What faults say about the pace of this call. */
  readonly perUserMs: number;
  readonly stopAfterUsers?: number;
  /** A fault says that what is asked for has failed, or is over. */
  readonly isSpoiled: boolean;
  /** What it reads lags behind by that many users (service behaviour 0.15, 0.26). */
  readonly lagUsers: number;
  /** That many users, the first that were made, have no login name in what it reads (service behaviour 0.41). */
  readonly namelessUsers: number;
}

/** A header's value; of several the first. */
export function headerOf({ headers }: Pick<Call, "headers">, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}
