import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { CreateMockServer, Grant, MockOptions, Verifier } from "./api.ts";
import { createInstance, importDirectly } from "./create-instance.ts";
import { checkedFault, explainSeed } from "./http/explain.ts";
import { isLoopback } from "./http/guard.ts";
import { createRequestLog } from "./http/request-log.ts";
import { exchange } from "./routes/exchange.ts";
import { OWNER } from "./state/default-org.ts";
import { hashLimits } from "./state/hash-limits.ts";
import type { Instance } from "./state/instance.ts";
import { Options, Seed, SeedMisfit } from "./state/seed.ts";
import { traitsOf } from "./state/traits.ts";
import { mailsOf } from "./users/mails.ts";
import { existingOrg, existingUser, removeOrg, removeUser } from "./users/remove.ts";

export type * from "./api.ts";

/** Of every version (service behaviour 0.9). */
const MAX_REQUEST_BYTES = 4 * 1024 * 1024;
const KEEP_ALIVE_MS = 60_000;
const SWEEP_MS = 10;
/** How long a stop waits for requests in flight, so that it ends within 2 s. */
const GRACE_MS = 1_000;

export const createMockServer: CreateMockServer = async (options = {}) => {
  const form = Options.safeParse(options);
  if (!form.success) throw new TypeError(`createMockServer: ${explainSeed(form.error, "the options")}`);
  const { token = randomBytes(24).toString("base64url"), host = "127.0.0.1", port = 0, keepBodies = false } = options;
  const stop = new AbortController();
  const waiting: Waiting = { requests: [], inFlight: new Set() };
  const server = createServer((request, response) => waiting.requests.push([request, response]));
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  const bound = await listen(server, host, port);
  const origin = `http://${host.includes(":") ? `[${host}]` : host}:${bound}`;
  const log = createRequestLog(options.onRequest);
  const instance = await instanceFor(options, { token, host, origin, log, stopping: stop.signal }).catch(
    async (error: unknown) => {
      await closed(server);
      throw error;
    },
  );
  serve(server, waiting, { instance, keepBodies });
  let closing: Promise<void> | undefined;
  return {
    url: origin,
    port: bound,
    token,
    requests: log.requests,
    mails: () => [...mailsOf(instance.store.state)],
    addFault: (input) => instance.faults.add(checkedFault(input)),
    clearFaults: () => instance.faults.clear(),
    addToken: (given, grant) => void instance.grants.set(given, checkedGrant(grant)),
    importOrgs: (orgs) => importDirectly(instance, orgs),
    removeUser: (userId) => removeUser(instance.store, existingUser(instance.store, userId), OWNER),
    skipUser: (userId, list) => void instance.store.state.skipped.set(userId, list),
    removeOrg: (orgId) => removeOrg(instance.store, existingOrg(instance.store, orgId), OWNER),
    reset: () => instance.refill(),
    settled: () => instance.background.settled(),
    close() {
      closing ??= end(server, waiting.inFlight, stop).then(() => instance.close());
      return closing;
    },
  };
};

/** Callers without types may leave something out. Raises TypeError. */
function checkedGrant(grant: Partial<Grant> | undefined): Grant {
  const { userId, roles } = grant ?? {};
  if (typeof userId !== "string" || userId === "" || !Array.isArray(roles))
    throw new TypeError(
      'addToken: the second argument is the user of the token, { userId: "…", roles: ["IAM_OWNER"] }',
    );
  return { ...grant, userId, roles };
}

interface Surroundings extends Pick<Instance, "origin" | "log" | "stopping"> {
  readonly token: string;
  readonly host: string;
}

async function instanceFor(options: MockOptions, { token, host, ...rest }: Surroundings): Promise<Instance> {
  const read = Seed.safeParse(options.seed ?? {});
  if (!read.success) throw new SeedMisfit(explainSeed(read.error));
  const seed = read.data;
  const { dataDir } = options;
  const traits = traitsOf(options.mimic ?? "specification");
  return createInstance({
    token,
    seed,
    ...rest,
    listensOn: host,
    domain: host === "localhost" || !isLoopback(host) ? "localhost" : host,
    faults: options.faults ?? [],
    traits,
    limits: hashLimits({ ...seed.limits, ...options.limits }),
    missing: { ...seed.without, ...options.without },
    // An instance always verifies its own hashes.
    verifiers: [...new Set<Verifier>(["bcrypt", ...(options.verifiers ?? seed.verifiers ?? [])])],
    maxRequestBytes: options.maxRequestBytes ?? MAX_REQUEST_BYTES,
    maxResponseBytes: options.maxResponseBytes ?? traits.maxResponseBytes,
    now: options.now ?? (() => new Date()),
    note: options.onNote ?? (() => {}),
    ...(dataDir === undefined ? {} : { dataDir }),
  });
}

/** Requests that arrive before the instance is seeded wait for it. */
interface Waiting {
  readonly requests: [IncomingMessage, ServerResponse][];
  readonly inFlight: Set<Promise<void>>;
}

async function listen(server: Server, host: string, port: number): Promise<number> {
  await new Promise<void>((done, fail) => {
    server.once("error", fail);
    server.listen(port, host, done);
  });
  const address = server.address() as AddressInfo; // a TCP server that listens has one
  return address.port;
}

interface Desk {
  readonly instance: Instance;
  readonly keepBodies: boolean;
}

function serve(server: Server, { requests, inFlight }: Waiting, desk: Desk): void {
  const take = (request: IncomingMessage, response: ServerResponse): void => {
    const done = answer(request, response, desk).catch((error: unknown) => {
      desk.instance.note(`bug in the mock: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      response.destroy();
    });
    inFlight.add(done);
    void done.finally(() => inFlight.delete(done));
  };
  server.removeAllListeners("request").on("request", take);
  for (const [request, response] of requests.splice(0)) take(request, response);
}

async function answer(request: IncomingMessage, response: ServerResponse, desk: Desk): Promise<void> {
  const startedAt = performance.now();
  const { instance } = desk;
  const { body, ...outcome } = await exchange(request, response, instance);
  instance.log.add({
    method: request.method ?? "",
    path: withoutTokens((request.url ?? "").replace(/[?#].*$/s, ""), instance),
    ms: Math.round(performance.now() - startedAt),
    ...outcome,
    ...(desk.keepBodies ? { body: Buffer.from(body).toString() } : {}),
  });
}

/** A token that is in a path by mistake does not get into the log. */
function withoutTokens(path: string, { grants }: Instance): string {
  let clean = path;
  for (const token of grants.keys()) clean = clean.replaceAll(token, "[redacted]");
  return clean;
}

/**
 * Closes idle connections at once, and busy ones when their request is answered or the time is over, so that a caller that no longer
 * reads cannot delay the stop.
 */
async function end(server: Server, inFlight: ReadonlySet<Promise<void>>, stop: AbortController): Promise<void> {
  const gone = closed(server);
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  const cut = setTimeout(() => {
    stop.abort();
    server.closeAllConnections();
  }, GRACE_MS);
  while (inFlight.size > 0) await Promise.all(inFlight);
  await gone;
  clearInterval(sweep);
  clearTimeout(cut);
  stop.abort();
}

async function closed(server: Server): Promise<void> {
  const gone = new Promise<void>((done) => server.close(() => done()));
  server.closeIdleConnections();
  await gone;
}
