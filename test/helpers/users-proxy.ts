import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { onTestFinished } from "vitest";
import type { MockServer } from "../../src/mock/server.ts";
import { forward } from "./front.ts";

/** What a call of the users API is answered instead; "lost": the work is done, and the connection breaks; "nonsense": or the answer is a list. */
export type UserFault = { readonly status: number; readonly body?: unknown } | "lost" | "nonsense" | "never";

export interface UsersProxy {
  readonly env: Record<string, string>;
  /** Bodies of `POST /v2/users/human` that were taken, without the probe. */
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

/** What tells the proxy's own calls from those of the program. */
export const PROXY_TIMEOUT = "59s";

interface UserBody {
  readonly userId?: string;
  readonly username: string;
  readonly organization: { readonly orgId: string };
  readonly profile: { readonly givenName: string; readonly familyName: string };
  readonly email: { readonly email: string; readonly isVerified?: boolean };
  readonly hashedPassword?: { readonly hash: string };
}

/** A users API in front of a mock that has none: it keeps users in the mock, by way of the import endpoint. */
export async function startUsersProxy(mock: MockServer): Promise<UsersProxy> {
  const attempts = new Map<string, number>();
  let underWay = 0;
  const server = createServer((request, response) => {
    void handle(request, response).catch(() => response.destroy());
  });
  const proxy: UsersProxy = { env: {}, added: [], changed: [], most: 0, latencyMs: 0, fault: () => undefined };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer); // no encoding is set
    const body = Buffer.concat(chunks);
    const path = request.url ?? "";
    if (!path.startsWith("/v2/users")) return forward(mock.url, request, body, response);
    underWay += 1;
    proxy.most = Math.max(proxy.most, underWay);
    try {
      if (proxy.latencyMs > 0) await setTimeout(proxy.latencyMs);
      if (proxy.answer !== undefined) return reply(response, proxy.answer.status, proxy.answer.body);
      await answerUsers(path, JSON.parse(body.toString() || "{}"), response);
    } finally {
      underWay -= 1;
    }
  }

  async function answerUsers(path: string, body: Record<string, never>, response: ServerResponse): Promise<void> {
    if (path !== "/v2/users/human") {
      const [, id = "", action = "get"] = /^\/v2\/users\/([^/]+)(?:\/(\w+))?$/.exec(path) ?? [];
      proxy.changed.push(`${decodeURIComponent(id)} ${action}`);
      return action === "get"
        ? reply(response, 404, { code: 5, message: "User could not be found (QUERY-Dfbg2)" })
        : reply(response, 200, { details: {} });
    }
    if (body["profile"] === undefined) {
      return reply(response, 400, { code: 3, message: "invalid AddHumanUserRequest.Profile: value is required" });
    }
    const id = String(body["userId"] ?? "");
    const attempt = (attempts.get(id) ?? 0) + 1;
    attempts.set(id, attempt);
    const fault = proxy.fault(body, attempt);
    if (fault === "never") return void response.destroy();
    if (typeof fault === "object") return reply(response, fault.status, fault.body ?? {});
    const made = await add(body);
    if (fault === "lost") return void response.destroy();
    if (fault === "nonsense") return reply(response, 200, []);
    return reply(response, made.status, made.body);
  }

  async function add(body: Record<string, never>): Promise<{ status: number; body: unknown }> {
    const { userId, username, organization, profile, email, hashedPassword } = body as unknown as UserBody;
    const user = {
      userName: username,
      profile: { firstName: profile.givenName, lastName: profile.familyName },
      email: { email: email.email, isEmailVerified: email.isVerified === true },
      hashedPassword: {
        value: hashedPassword?.hash ?? "$2b$10$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZ01234",
      },
    };
    const orgs = [{ orgId: organization.orgId, humanUsers: [{ userId, user }] }];
    const result = await post({ dataOrgs: { orgs }, timeout: PROXY_TIMEOUT });
    const { errors = [] } = result;
    if (errors.some(({ type, message }) => type === "org" && !message.includes("AlreadyExisting"))) {
      return { status: 403, body: { code: 7, message: "Organisation doesn't exist (AUTH-Bs7Ds)" } };
    }
    const error = errors.find(({ type }) => type === "human_user");
    if (error?.message.includes("AlreadyExisting") === true) {
      return { status: 400, body: { code: 9, message: "Errors.User.AlreadyExisting (COMMAND-7yiox1isql)" } };
    }
    if (error !== undefined) {
      const [, code = "", key = ""] = /ID=(\S+) Message=(\S+)/.exec(error.message) ?? [];
      const isTaken = code === "V3-DKcYh";
      const message = `${isTaken ? "User already exists" : key} (${code})`;
      return { status: isTaken ? 409 : 400, body: { code: isTaken ? 6 : 3, message } };
    }
    proxy.added.push(body);
    return { status: 200, body: { userId: userId ?? "made-up", details: {} } };
  }

  /** By way of the import endpoint of a body, which leaves events. */
  async function post(body: object): Promise<{ errors?: readonly { type: string; message: string }[] }> {
    const headers = { authorization: `Bearer ${mock.token}` };
    const answer = await fetch(`${mock.url}/admin/v1/import`, { method: "POST", headers, body: JSON.stringify(body) });
    return (await answer.json()) as Awaited<ReturnType<typeof post>>; // as the contract has it
  }

  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  Object.assign(proxy.env, { ZITADEL_IMPORT_DOMAIN: url, PAT_IMPORT_TOKEN: mock.token });
  return proxy;
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json", date: new Date().toUTCString() });
  response.end(JSON.stringify(body));
}
