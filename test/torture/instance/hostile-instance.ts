import { createServer, type Server, type Socket } from "node:net";
import type { Random } from "../random.ts";
import { type Asked, type EndpointName, endpointOf, type PlainAnswer } from "./answers.ts";
import type { Fault } from "./faults/fault.ts";
import { faultsFor } from "./faults/table.ts";
import { onRequests, toHttp } from "./wire.ts";

export interface Hostility {
  /** Which part of the calls goes wrong. */
  readonly rate: number;
  /** How many calls may go wrong at most; after them the instance is sound. */
  readonly most: number;
  readonly isAllowed: (fault: Fault) => boolean;
}

/** What befell the calls of one trial. */
export interface Befallen {
  readonly names: string[];
  hasLied: boolean;
  /** Calls of each kind, sound or not. */
  readonly calls: Map<EndpointName, number>;
}

/** Called at the moments at which a kill is worst: a call has come; its work is done, and nothing was said. */
export type Moment = (when: "asked" | "done", endpoint: EndpointName) => void;

/** What a sound instance says to a call, and when. */
export interface SoundAnswer {
  readonly answer: PlainAnswer;
  readonly date: string;
}

/** An instance on the level of bytes, sound or hostile; whoever extends it does the work of a call. */
export abstract class HostileInstance {
  readonly befallen: Befallen = { names: [], hasLied: false, calls: new Map() };
  hostility: Hostility = { rate: 0, most: 0, isAllowed: () => false };
  onMoment: Moment = () => {};
  protected readonly random: Random;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #said = new Map<EndpointName, unknown[]>();

  constructor(random: Random) {
    this.random = random;
    this.#server = createServer((socket) => this.#connected(socket));
  }

  /** Looks at a call that has come, before anything is done. */
  protected abstract look(asked: Asked): void;
  /** Does what the fault leaves of the work, and says what a sound instance would. */
  protected abstract work(asked: Asked, endpoint: EndpointName, fault: Fault | undefined): Promise<SoundAnswer>;
  /** What a fault may let slip. */
  protected abstract secretsOf(asked: Asked): readonly string[];

  async listen(): Promise<string> {
    await new Promise<void>((done) => this.#server.listen(0, "127.0.0.1", done));
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((done) => this.#server.close(() => done()));
  }

  get calls(): number {
    return [...this.befallen.calls.values()].reduce((sum, calls) => sum + calls, 0);
  }

  #connected(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => this.#sockets.delete(socket));
    onRequests(socket, (asked) => void this.#asked(socket, asked));
  }

  async #asked(socket: Socket, asked: Asked): Promise<void> {
    const endpoint = endpointOf(asked);
    const { calls } = this.befallen;
    calls.set(endpoint, (calls.get(endpoint) ?? 0) + 1);
    this.look(asked);
    this.onMoment("asked", endpoint);
    const fault = this.#nextFault(endpoint);
    const { answer, date } = await this.work(asked, endpoint, fault);
    this.onMoment("done", endpoint);
    if (socket.destroyed) return;
    const head = { status: answer.status, headers: { date } };
    const body = Buffer.from(JSON.stringify(answer.body));
    if (process.env["TORTURE_WIRE"] !== undefined) {
      process.stdout.write(
        `> ${asked.method} ${asked.path} ${asked.text}\n< ${fault?.name ?? ""} ${head.status} ${body}\n`,
      );
    }
    const earlier = this.#said.get(endpoint) ?? [];
    this.#said.set(endpoint, [...earlier.slice(0, 3), answer.body]);
    if (fault === undefined) {
      socket.write(toHttp(head, body));
      return;
    }
    fault.act({
      socket,
      random: this.random,
      asked,
      endpoint,
      answer,
      head,
      body,
      secrets: this.secretsOf(asked),
      earlier,
      say: (said, headers = {}) =>
        void socket.write(
          toHttp(
            { status: said.status, headers: { ...head.headers, ...headers } },
            Buffer.from(JSON.stringify(said.body)),
          ),
        ),
    });
  }

  #nextFault(endpoint: EndpointName): Fault | undefined {
    const { rate, most, isAllowed } = this.hostility;
    if (this.befallen.names.length >= most || !this.random.chance(rate)) return undefined;
    const possible = faultsFor(endpoint, isAllowed);
    if (possible.length === 0) return undefined;
    const fault = this.random.pick(possible);
    this.befallen.names.push(`${endpoint}: ${fault.name}`);
    if (fault.isLie === true) this.befallen.hasLied = true;
    return fault;
  }
}
