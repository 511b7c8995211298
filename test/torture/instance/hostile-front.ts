import { createServer, type Server, type Socket } from "node:net";
import type { MockServer } from "../../../src/mock/server.ts";
import type { Random } from "../random.ts";
import type { Clock } from "./clock.ts";
import { type EndpointName, endpointOf, type PlainAnswer } from "./endpoints.ts";
import type { Fault } from "./faults/fault.ts";
import { faultsFor } from "./faults/table.ts";
import { fields } from "./json.ts";
import type { Losses } from "./losses.ts";
import { partialImport } from "./partial-import.ts";
import { type Asked, type Head, onRequests, toHttp } from "./wire.ts";

export interface Hostility {
  /** The proportion of calls with a fault. */
  readonly rate: number;
  /** The largest number of calls with a fault. */
  readonly most: number;
  readonly isAllowed: (fault: Fault) => boolean;
}

/** The calls of one trial and their faults. */
export interface Befallen {
  readonly names: string[];
  hasLied: boolean;
  /** All calls of each endpoint. */
  readonly calls: Map<EndpointName, number>;
}

/** Called at the worst moments for a kill: a call has arrived; its work is done and no byte of the response is sent. */
export type Moment = (when: "asked" | "done", endpoint: EndpointName) => void;

export interface FrontSettings {
  readonly random: Random;
  /** The instance's clock: it passes with each call, and is in the Date header. Absent: the machine's clock. */
  readonly clock?: Clock;
  /** Endpoints that the instance does not have, or not for this caller, with their answer. */
  readonly refusals?: ReadonlyMap<EndpointName, PlainAnswer>;
  /** What concurrent writes lose. */
  readonly losses?: Losses;
}

interface SoundAnswer {
  readonly head: Head;
  readonly body: Buffer;
}

const NOT_FORWARDED = new Set(["host", "connection", "content-length", "keep-alive"]);

/** A proxy in front of the mock that adds faults at byte level: no HTTP server can send most of them. */
export class HostileFront {
  readonly befallen: Befallen = { names: [], hasLied: false, calls: new Map() };
  hostility: Hostility = { rate: 0, most: 0, isAllowed: () => false };
  onMoment: Moment = () => {};
  /** Calls that a client must never send: without the token, or an import that the service refuses or that ends its process. */
  readonly harm: string[] = [];
  readonly #mock: MockServer;
  readonly #settings: FrontSettings;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #inFlight = new Set<Promise<void>>();
  readonly #earlier = new Map<EndpointName, unknown[]>();

  constructor(mock: MockServer, settings: FrontSettings) {
    this.#mock = mock;
    this.#settings = settings;
    this.#server = createServer((socket) => this.#connected(socket));
  }

  async listen(): Promise<string> {
    await new Promise<void>((done) => this.#server.listen(0, "127.0.0.1", done));
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  }

  /** Resolves when the work of all calls is done, also of those whose client is dead. */
  async idle(): Promise<void> {
    do {
      await new Promise<void>((done) => setImmediate(done));
      await Promise.all(this.#inFlight);
    } while (this.#inFlight.size > 0);
  }

  async close(): Promise<void> {
    await this.idle();
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((done) => this.#server.close(() => done()));
  }

  get losses(): Losses | undefined {
    return this.#settings.losses;
  }

  get calls(): number {
    return [...this.befallen.calls.values()].reduce((sum, calls) => sum + calls, 0);
  }

  #connected(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => this.#sockets.delete(socket));
    onRequests(socket, (asked) => {
      const done = this.#asked(socket, asked);
      this.#inFlight.add(done);
      void done.finally(() => this.#inFlight.delete(done));
    });
  }

  async #asked(socket: Socket, asked: Asked): Promise<void> {
    const { random, clock } = this.#settings;
    const endpoint = endpointOf(asked.path);
    const { calls } = this.befallen;
    calls.set(endpoint, (calls.get(endpoint) ?? 0) + 1);
    clock?.pass(random.pick([0, 1, 400, 20_000]));
    this.onMoment("asked", endpoint);
    const fault = this.#nextFault(endpoint);
    const sound = await this.#work(asked, endpoint, fault);
    this.onMoment("done", endpoint);
    if (sound === undefined || socket.destroyed) return void socket.destroy();
    const { head, body } = sound;
    if (process.env["TORTURE_WIRE"] !== undefined) {
      process.stdout.write(
        `> ${asked.method} ${asked.path} ${asked.body}\n< ${fault?.name ?? ""} ${head.status} ${body}\n`,
      );
    }
    const answer = { status: head.status, body: parsed(body) };
    const earlier = this.#earlier.get(endpoint) ?? [];
    this.#earlier.set(endpoint, [...earlier.slice(0, 3), answer.body]);
    if (fault === undefined) {
      socket.write(toHttp(head, body));
      return;
    }
    fault.act({
      socket,
      random,
      asked,
      endpoint,
      answer,
      head,
      body,
      secrets: this.#secretsOf(asked),
      earlier,
      say: (said, headers = {}) =>
        void socket.write(
          toHttp({ status: said.status, headers: { date: head.headers["date"] ?? "", ...headers } }, toJson(said.body)),
        ),
    });
  }

  /** Does the part of the work that the fault leaves; undefined when the real service's process would have ended. */
  async #work(asked: Asked, endpoint: EndpointName, fault: Fault | undefined): Promise<SoundAnswer | undefined> {
    const { random, refusals } = this.#settings;
    const refusal = refusals?.get(endpoint);
    if (refusal !== undefined) return this.#plain(refusal);
    const isDone = fault?.work === "part" && endpoint === "users" ? random.chance(0.5) : fault?.work !== "none";
    if (!isDone) return this.#plain({ status: 200, body: {} });
    if (fault?.work !== "part" || endpoint !== "import") return this.#forward(asked, endpoint);
    const most = random.below(8);
    if (most === 0) return this.#plain({ status: 200, body: {} });
    return this.#forward({ ...asked, body: toJson(partialImport(fields(parsed(asked.body)), most)) }, endpoint);
  }

  #plain({ status, body }: PlainAnswer): SoundAnswer {
    const date = this.#settings.clock?.date ?? new Date().toUTCString();
    return { head: { status, headers: { date } }, body: toJson(body) };
  }

  async #forward(asked: Asked, endpoint: EndpointName): Promise<SoundAnswer | undefined> {
    const { losses } = this.#settings;
    const writing = losses?.begin(asked);
    const answer = await this.#ask(asked, endpoint);
    await losses?.end(writing, answer === undefined ? undefined : parsed(answer.body));
    if (asked.method === "DELETE" && answer?.head.status === 200) losses?.removed(asked.path);
    return answer;
  }

  async #ask({ method, path, headers, body }: Asked, endpoint: EndpointName): Promise<SoundAnswer | undefined> {
    const kept = Object.entries(headers).filter(([name]) => !NOT_FORWARDED.has(name));
    try {
      const response = await fetch(this.#mock.url + path, {
        method,
        headers: Object.fromEntries(kept),
        ...(method === "GET" ? {} : { body: new Uint8Array(body) }),
      });
      const answered = Buffer.from(await response.arrayBuffer());
      const { status } = response;
      if (status === 401) this.harm.push(`a call without the token: ${path}`);
      if (status === 400 && endpoint === "import") this.harm.push(answered.toString());
      const type = response.headers.get("content-type") ?? "application/json";
      const date = this.#settings.clock?.date ?? response.headers.get("date") ?? "";
      return { head: { status, headers: { "content-type": type, date } }, body: answered };
    } catch (error) {
      this.harm.push(`${path}: ${this.#mock.requests.at(-1)?.note ?? String(error)}`);
      return undefined;
    }
  }

  #nextFault(endpoint: EndpointName): Fault | undefined {
    const { rate, most, isAllowed } = this.hostility;
    const { random } = this.#settings;
    if (this.befallen.names.length >= most || !random.chance(rate)) return undefined;
    const possible = faultsFor(endpoint, isAllowed);
    if (possible.length === 0) return undefined;
    const fault = random.pick(possible);
    this.befallen.names.push(`${endpoint}: ${fault.name}`);
    if (fault.isLie === true) this.befallen.hasLied = true;
    return fault;
  }

  /** The token and some secrets of the request: what a fault may echo. */
  #secretsOf({ body }: Asked): readonly string[] {
    const found = [...body.toString().matchAll(SECRET_MEMBERS)]
      .map(([, json = '""']) => JSON.parse(json) as string) // a string of JSON
      .filter((value) => value.length >= 12);
    return [this.#mock.token, ...this.#settings.random.shuffled(found).slice(0, 3)];
  }
}

const SECRET_MEMBERS = /"(?:value|password|otpCode|clientSecret|hash|totpSecret)":("(?:[^"\\]|\\.)*")/g;

/** The document; {} when it is not JSON, as a message of gRPC-Web. */
function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return {};
  }
}

function toJson(body: unknown): Buffer {
  return Buffer.from(JSON.stringify(body));
}
