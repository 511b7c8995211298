import type { IncomingHttpHeaders } from "node:http";
import type { Verifier } from "../api.ts";
import type { Answer } from "../http/answer.ts";
import type { IssuedGrant } from "../http/auth.ts";
import type { Background } from "../http/background.ts";
import type { CallFaults } from "../http/fault-kinds.ts";
import type { Faults } from "../http/faults.ts";
import type { Missing } from "../http/groups.ts";
import type { RequestLog } from "../http/request-log.ts";
import type { HashLimits } from "./hash-limits.ts";
import type { ObjectStorage } from "./object-storage.ts";
import type { Seed } from "./seed.ts";
import type { SourceJob } from "./source-job.ts";
import type { Store } from "./store.ts";
import type { Traits } from "./traits.ts";

/** One mock instance; handlers get it with each call. */
export interface Instance {
  store: Store;
  readonly grants: Map<string, IssuedGrant>;
  readonly seed: Seed;
  readonly faults: Faults;
  readonly log: RequestLog;
  readonly storage: ObjectStorage;
  readonly background: Background;
  readonly sourceJobs: Map<string, SourceJob>;
  readonly traits: Traits;
  /** Groups of endpoints that this instance does not have, with the status they answer. */
  readonly missing: Missing;
  /** Algorithms that it can verify passwords with. */
  readonly verifiers: readonly Verifier[];
  readonly limits: HashLimits;
  readonly maxRequestBytes: number;
  readonly maxResponseBytes: number;
  /** The address of the instance: `http://127.0.0.1:8080`. */
  readonly origin: string;
  /** The name or address that the server listens on. */
  readonly listensOn: string;
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
  /** The host name of the instance: the ending of its organizations' generated domains. */
  readonly domain: string;
  readonly now: () => Date;
  /** Writes a line to the log. It never holds a token, a hash or any other part of a body. */
  readonly note: (line: string) => void;
  /** Empties the instance and seeds it again. */
  refill(): Promise<void>;
  /** Closes its files. */
  close(): Promise<void>;
}

/** One call with its body. */
export interface Call extends CallFaults {
  readonly method: string;
  readonly path: string;
  /** The parameters in the path, decoded. */
  readonly parameters: readonly string[];
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
  /** Aborted when the caller closes the connection or the server stops. */
  readonly signal: AbortSignal;
}

/** Answers the calls of one endpoint. Raises Refusal or ProcessEnd. */
export type Handler = (call: Call, instance: Instance) => Promise<Answer>;

/** The value of a header; of several values the first. */
export function headerOf({ headers }: Pick<Call, "headers">, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}
