import { createServer, type Server, type Socket } from "node:net";
import type { MockServer } from "../../../src/mock/server.ts";
import type { Random } from "../random.ts";
import { type Asked, type EndpointName, endpointOf, type PlainAnswer } from "./answers.ts";
import { faultsFor } from "./faults/table.ts";
import type { Befallen, Hostility, Moment } from "./server.ts";
import { onRequests, toHttp } from "./wire.ts";

/** The mock, on the level of bytes, sound or hostile: what it cannot do itself befalls its answers here. */
export class HostileFront {
  readonly befallen: Befallen = { names: [], hasLied: false, calls: new Map() };
  hostility: Hostility = { rate: 0, most: 0, isAllowed: () => false };
  onMoment: Moment = () => {};
  readonly #mock: Pick<MockServer, "url" | "token">;
  readonly #random: Random;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #said = new Map<EndpointName, unknown[]>();

  constructor(mock: Pick<MockServer, "url" | "token">, random: Random) {
    this.#mock = mock;
    this.#random = random;
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
    this.onMoment("asked", endpoint);
    const fault = this.#nextFault(endpoint);
    // The mock does the whole of a call or nothing.
    const isDone = fault?.work === "part" ? this.#random.chance(0.5) : fault?.work !== "none";
    const { answer, date } = isDone
      ? await this.#forward(asked)
      : { answer: { status: 200, body: {} }, date: new Date().toUTCString() };
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
      random: this.#random,
      asked,
      endpoint,
      answer,
      head,
      body,
      secrets: [this.#mock.token],
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

  async #forward({
    method,
    path,
    authorization,
    orgId,
    text,
  }: Asked): Promise<{ readonly answer: PlainAnswer; readonly date: string }> {
    const response = await fetch(this.#mock.url + path, {
      method,
      headers: { authorization, "content-type": "application/json", ...(orgId === "" ? {} : { [ORG]: orgId }) },
      ...(method === "GET" ? {} : { body: text }),
    });
    const said = await response.text();
    const date = response.headers.get("date") ?? "";
    return { answer: { status: response.status, body: said === "" ? {} : JSON.parse(said) }, date };
  }

  #nextFault(endpoint: EndpointName) {
    const { rate, most, isAllowed } = this.hostility;
    if (this.befallen.names.length >= most || !this.#random.chance(rate)) return undefined;
    const possible = faultsFor(endpoint, isAllowed);
    if (possible.length === 0) return undefined;
    const fault = this.#random.pick(possible);
    this.befallen.names.push(`${endpoint}: ${fault.name}`);
    if (fault.isLie === true) this.befallen.hasLied = true;
    return fault;
  }
}

const ORG = "x-zitadel-orgid";
