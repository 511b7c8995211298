import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";
import type { MockServer } from "../../src/mock/server.ts";
import { forward, serve } from "./front.ts";

/** The answer in place of the users API's. "lost": the work is done and the connection closed; "nonsense": done, and the answer is a list; "never": not done. */
export type UserFault = { readonly status: number; readonly body?: unknown } | "lost" | "nonsense" | "never";

export interface UsersFront {
  readonly env: Record<string, string>;
  /** Bodies of `POST /v2/users/human` that created a user. */
  readonly added: Readonly<Record<string, unknown>>[];
  /** `<id> <action>` of the other calls. */
  readonly changed: string[];
  /** The largest number of concurrent calls of the users API. */
  most: number;
  /** The answer to every call of the users API, also to the probe. */
  answer?: { readonly status: number; readonly body: unknown };
  /** Minimum duration of each call of the users API. */
  latencyMs: number;
  /** Called for each user; undefined: no fault. */
  fault: (body: Readonly<Record<string, unknown>>, attempt: number) => UserFault | undefined;
}

/** The mock's users API with faults for single users, which the mock's own faults cannot select. */
export async function startUsersFront(mock: MockServer): Promise<UsersFront> {
  const attempts = new Map<unknown, number>();
  let underWay = 0;
  const front: UsersFront = { env: {}, added: [], changed: [], most: 0, latencyMs: 0, fault: () => undefined };

  async function handle(request: IncomingMessage, body: Buffer, response: ServerResponse): Promise<void> {
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

  const url = await serve(handle);
  Object.assign(front.env, { ZITADEL_IMPORT_DOMAIN: url, PAT_IMPORT_TOKEN: mock.token });
  return front;
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json", date: new Date().toUTCString() });
  response.end(JSON.stringify(body));
}
