import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createInstance, importDirectly, removeOrg, removeUser } from "./create-instance.ts";
import type { Grant } from "./http/auth.ts";
import { exchange } from "./http/exchange.ts";
import { Fault, type FaultInput } from "./http/faults.ts";
import { createRequestLog, type LoggedRequest } from "./http/request-log.ts";
import type { Mimic } from "./import/import-context.ts";
import type { JsonObject } from "./protojson/json-value.ts";
import type { Instance } from "./state/instance.ts";
import { Seed, type SeedInput } from "./state/seed.ts";

export interface MockOptions {
  /** Keeps state and object storage in this folder; absent: they go away with the server. */
  readonly dataDir?: string;
  /** Default 127.0.0.1: only this machine can call. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** The token that may do everything; made up when absent. */
  readonly token?: string;
  readonly seed?: SeedInput;
  readonly faults?: readonly FaultInput[];
  /** Where specification and real service differ; default "specification". */
  readonly mimic?: Mimic;
  /** The service's limit, in protobuf bytes; default 4 MiB (service behaviour 2.9). */
  readonly maxRequestBytes?: number;
  readonly now?: () => Date;
  /** Keeps request bodies in `requests`: for tests. */
  readonly keepBodies?: boolean;
  /** Told each finished request, secrets left out. */
  readonly onRequest?: (request: LoggedRequest) => void;
  /** Told what happens besides requests. */
  readonly onNote?: (line: string) => void;
}

/** A running mock instance. */
export interface MockServer {
  readonly url: string;
  readonly port: number;
  /** Has the role IAM_OWNER. */
  readonly token: string;
  /** The latest requests, oldest first; at most 1,000. */
  readonly requests: readonly LoggedRequest[];
  addFault(fault: FaultInput): void;
  clearFaults(): void;
  addToken(token: string, grant: Grant): void;
  /** Puts organizations in, in the shape of an export, as an instance import does. Gives the import's answer. */
  importOrgs(orgs: readonly object[]): Promise<JsonObject>;
  removeUser(userId: string): void;
  removeOrg(orgId: string): void;
  /** Empties the instance, seeds it again, forgets faults and requests. */
  reset(): Promise<void>;
  /** Resolves when imports and exports by way of object storage are done. */
  settled(): Promise<void>;
  /** Lets requests in flight and background work finish, then stops. */
  close(): Promise<void>;
}

const SERVICE_LIMIT_BYTES = 4 * 1024 * 1024;

/** Starts a mock instance and resolves when it answers. Rejects when the port is taken or the seed does not fit. */
export async function createMockServer(options: MockOptions = {}): Promise<MockServer> {
  const { token = randomBytes(24).toString("base64url"), dataDir, keepBodies = false } = options;
  const log = createRequestLog(options.onRequest);
  const instance = await createInstance({
    token,
    log,
    seed: Seed.parse(options.seed ?? {}),
    faults: options.faults ?? [],
    mimic: options.mimic ?? "specification",
    maxRequestBytes: options.maxRequestBytes ?? SERVICE_LIMIT_BYTES,
    now: options.now ?? (() => new Date()),
    note: options.onNote ?? (() => {}),
    ...(dataDir === undefined ? {} : { dataDir }),
  });
  const desk: Desk = { instance, keepBodies, inFlight: new Set() };
  const server = createServer((request, response) => {
    const done = answer(request, response, desk).catch((error: unknown) => {
      instance.note(`bug in the mock: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      response.destroy();
    });
    desk.inFlight.add(done);
    void done.finally(() => desk.inFlight.delete(done));
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  const { host = "127.0.0.1", port = 0 } = options;
  const bound = await listen(server, host, port);
  let closed: Promise<void> | undefined;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}`,
    port: bound,
    token,
    requests: log.requests,
    addFault: (input) => instance.faults.add(Fault.parse(input)),
    clearFaults: () => instance.faults.clear(),
    addToken: (given, grant) => void instance.grants.set(given, grant),
    importOrgs: (orgs) => importDirectly(instance, orgs),
    removeUser: (userId) => removeUser(instance, userId),
    removeOrg: (orgId) => removeOrg(instance, orgId),
    reset: () => instance.refill(),
    settled: () => instance.background.settled(),
    close() {
      closed ??= stop(server, desk).then(() => instance.close());
      return closed;
    },
  };
}

const KEEP_ALIVE_MS = 60_000;
const SWEEP_MS = 10;

async function listen(server: Server, host: string, port: number): Promise<number> {
  await new Promise<void>((done, fail) => {
    server.once("error", fail);
    server.listen(port, host, done);
  });
  const address = server.address() as AddressInfo; // a TCP server that listens has one
  return address.port;
}

/** Idle connections are closed at once, busy ones when their request is answered. */
async function stop(server: Server, { inFlight }: Desk): Promise<void> {
  const closed = new Promise<void>((done) => server.close(() => done()));
  server.closeIdleConnections();
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  while (inFlight.size > 0) await Promise.all(inFlight);
  await closed;
  clearInterval(sweep);
}

interface Desk {
  readonly instance: Instance;
  readonly keepBodies: boolean;
  readonly inFlight: Set<Promise<void>>;
}

async function answer(request: IncomingMessage, response: ServerResponse, desk: Desk): Promise<void> {
  const startedAt = performance.now();
  const { status, requestBytes, responseBytes, body } = await exchange(request, response, desk.instance);
  desk.instance.log.add({
    method: request.method ?? "",
    path: withoutTokens((request.url ?? "").replace(/[?#].*$/s, ""), desk.instance),
    status,
    ms: Math.round(performance.now() - startedAt),
    requestBytes,
    responseBytes,
    ...(desk.keepBodies ? { body: Buffer.from(body).toString() } : {}),
  });
}

/** A token that someone put into a path by mistake stays out of the log. */
function withoutTokens(path: string, { grants }: Instance): string {
  let clean = path;
  for (const token of grants.keys()) clean = clean.replaceAll(token, "[redacted]");
  return clean;
}
