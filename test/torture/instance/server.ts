import { createServer, type Server, type Socket } from "node:net";
import type { Random } from "../random.ts";
import { type AnswerSettings, type Asked, answer, type EndpointName, endpointOf } from "./answers.ts";
import type { Fault } from "./faults/fault.ts";
import { faultsFor } from "./faults/table.ts";
import type { Truth } from "./truth.ts";
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

/** An instance on the level of bytes, sound or hostile. It keeps the truth, and lies to nobody but its client. */
export class TortureServer {
  readonly befallen: Befallen = { names: [], hasLied: false, calls: new Map() };
  hostility: Hostility = { rate: 0, most: 0, isAllowed: () => false };
  onMoment: Moment = () => {};
  readonly #truth: Truth;
  readonly #settings: AnswerSettings;
  readonly #random: Random;
  readonly #token: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #said = new Map<EndpointName, unknown[]>();

  constructor(truth: Truth, settings: AnswerSettings, { random, token }: { random: Random; token: string }) {
    this.#truth = truth;
    this.#settings = settings;
    this.#random = random;
    this.#token = token;
    this.#server = createServer((socket) => this.#connected(socket));
  }

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
    onRequests(socket, (asked) => this.#asked(socket, asked));
  }

  #asked(socket: Socket, asked: Asked): void {
    const endpoint = endpointOf(asked);
    const { calls } = this.befallen;
    calls.set(endpoint, (calls.get(endpoint) ?? 0) + 1);
    this.#truth.pass(this.#random.pick([0, 1, 400, 20_000]));
    this.onMoment("asked", endpoint);
    if (asked.authorization !== `Bearer ${this.#token}`)
      this.#truth.harm.push(`a call without the token: ${asked.path}`);
    const fault = this.#nextFault(endpoint);
    if (fault !== undefined) {
      this.befallen.names.push(`${endpoint}: ${fault.name}`);
      if (fault.isLie === true) this.befallen.hasLied = true;
    }
    const sound =
      fault?.work === "none" && (endpoint === "import" || endpoint === "users")
        ? { status: 200, body: {} }
        : answer(this.#truth, asked, this.#settings, fault?.work === "part" ? this.#random.below(8) : undefined);
    this.onMoment("done", endpoint);
    if (socket.destroyed) return;
    const head = { status: sound.status, headers: { date: new Date(this.#truth.nowMs).toUTCString() } };
    const body = Buffer.from(JSON.stringify(sound.body));
    if (process.env["TORTURE_WIRE"] !== undefined) {
      process.stdout.write(`> ${asked.path} ${asked.text}\n< ${fault?.name ?? ""} ${head.status} ${body}\n`);
    }
    const earlier = this.#said.get(endpoint) ?? [];
    this.#said.set(endpoint, [...earlier.slice(0, 3), sound.body]);
    if (fault === undefined) {
      socket.write(toHttp(head, body));
      return;
    }
    fault.act({
      socket,
      random: this.#random,
      asked,
      endpoint,
      answer: sound,
      head,
      body,
      secrets: secretsOf(asked, this.#token, this.#random),
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
    if (this.befallen.names.length >= most || !this.#random.chance(rate)) return undefined;
    const possible = faultsFor(endpoint, isAllowed);
    return possible.length === 0 ? undefined : this.#random.pick(possible);
  }
}

const SECRET_MEMBERS = /"(?:value|password|otpCode|clientSecret|hash|totpSecret)":("(?:[^"\\]|\\.)*")/g;

/** Some secrets of a request, as the service knows them. */
function secretsOf({ text }: Asked, token: string, random: Random): readonly string[] {
  const found = [...text.matchAll(SECRET_MEMBERS)]
    .map(([, json = '""']) => JSON.parse(json) as string) // a string of JSON
    .filter((value) => value.length >= 12);
  return [token, ...random.shuffled(found).slice(0, 3)];
}
