import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { onTestFinished } from "vitest";
import type { MockServer } from "../../src/mock/server.ts";
import { forward } from "./front.ts";

/** What a call of the users API is answered instead; "lost": the work is done, and the connection breaks; "nonsense": or the answer is a list. */
export type UserFault = { readonly status: number; readonly body?: unknown } | "lost" | "nonsense" | "never";

export interface UsersFront {
  readonly env: Record<string, string>;
  /** Bodies of `POST /v2/users/human` that made a user. */
  readonly added: Readonly<Record<string, unknown>>[];
  /** `<id> <action>` of the other calls. */
  readonly changed: string[];
  /** How many of these calls were under way at a time. */
  most: number;
  /** What every call gets, the probe as well. */
  answer?: { readonly status: number; readonly body: unknown };
  /** How long each of its calls takes at least. */
  latencyMs: number;
  /** Asked for each user; undefined: the call goes its usual way. */
  fault: (body: Readonly<Record<string, unknown>>, attempt: number) => UserFault | undefined;
}

/** The mock's users API with faults for single users, which the mock's own faults do not tell apart. */
export async function startUsersFront(mock: MockServer): Promise<UsersFront> {
  const attempts = new Map<unknown, number>();
  let underWay = 0;
  const server = createServer((request, response) => {
    void handle(request, response).catch(() => response.destroy());
  });
  const front: UsersFront = { env: {}, added: [], changed: [], most: 0, latencyMs: 0, fault: () => undefined };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer); // no encoding is set
    const body = Buffer.concat(chunks);
    if (request.url?.startsWith("/v2/users/") !== true) return forward(mock.url, request, body, response);
    underWay += 1;
    front.most = Math.max(front.most, underWay);
    try {
      if (front.latencyMs > 0) await setTimeout(front.latencyMs);
      if (front.answer !== undefined) return reply(response, front.answer.status, front.answer.body);
      await answer(request, body, response);
    } finally {
      underWay -= 1;
    }
  }

  async function answer(request: IncomingMessage, bytes: Buffer, response: ServerResponse): Promise<void> {
    const body = JSON.parse(bytes.toString() || "{}");
    if (request.url !== "/v2/users/human") note(request.url ?? "");
    // A body without a profile is the probe.
    const fault = body.profile === undefined ? undefined : faultOf(body);
    if (fault === "never") return void response.destroy();
    if (typeof fault === "object") return reply(response, fault.status, fault.body ?? {});
    // A user counts as added before the program learns of it.
    const count = (status: number): void => {
      if (request.url === "/v2/users/human" && status < 300) front.added.push(body);
      if (fault === "lost") response.destroy();
    };
    await forward(mock.url, request, bytes, response, count, fault === "nonsense" ? "[]" : undefined);
  }

  function note(path: string): void {
    const [, id = "", action = "get"] = /^\/v2\/users\/([^/]+)(?:\/(\w+))?$/.exec(path) ?? [];
    front.changed.push(`${decodeURIComponent(id)} ${action}`);
  }

  function faultOf(body: Readonly<Record<string, unknown>>): UserFault | undefined {
    const attempt = (attempts.get(body["userId"]) ?? 0) + 1;
    attempts.set(body["userId"], attempt);
    return front.fault(body, attempt);
  }

  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  Object.assign(front.env, { ZITADEL_IMPORT_DOMAIN: url, PAT_IMPORT_TOKEN: mock.token });
  return front;
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json", date: new Date().toUTCString() });
  response.end(JSON.stringify(body));
}
