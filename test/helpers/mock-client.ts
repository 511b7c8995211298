import { onTestFinished } from "vitest";
import { createMockServer, type MockOptions, type MockServer } from "../../src/mock/server.ts";

/** What a call of the mock answered. */
export interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly text: string;
  readonly headers: Headers;
}

export interface MockClient {
  readonly mock: MockServer;
  /** A call of any method, with a body as JSON if there is one. */
  send(method: string, path: string, body?: unknown): Promise<Reply>;
  /** POSTs JSON, or text as it is, with the token that may do everything unless another one, or none (""), is given. */
  post(path: string, body: unknown, options?: PostOptions): Promise<Reply>;
  /** Imports organizations as `dataOrgs` with a time limit of one minute; gives the answer's body. */
  importOrgs(...orgs: readonly object[]): Promise<ImportReply>;
  /** The whole instance as a document, with hashes and OTP secrets. */
  exportAll(): Promise<unknown>;
  /** One organization of it. */
  exportOf(orgId: string): Promise<unknown>;
}

export interface PostOptions {
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ImportReply {
  readonly errors?: readonly { readonly type: string; readonly id: string; readonly message: string }[];
  readonly success?: { readonly orgs?: readonly Readonly<Record<string, unknown>>[] };
}

/** Starts a mock that stops with the test, and something to call it with. */
export async function startMock(options: MockOptions = {}): Promise<MockClient> {
  const mock = await createMockServer(options);
  onTestFinished(() => mock.close());
  const post: MockClient["post"] = async (path, body, { token = mock.token, headers = {} } = {}) => {
    const response = await fetch(`${mock.url}${path}`, {
      method: "POST",
      headers: { ...(token === "" ? {} : { authorization: `Bearer ${token}` }), ...headers },
      body: typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, body: parsed(text), text, headers: response.headers };
  };
  const send: MockClient["send"] = async (method, path, body) => {
    const response = await fetch(`${mock.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${mock.token}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: parsed(text), text, headers: response.headers };
  };
  return {
    mock,
    send,
    post,
    async importOrgs(...orgs) {
      const { body } = await post("/admin/v1/import", { dataOrgs: { orgs }, timeout: "1m" });
      return body as ImportReply; // the wire tests hold the answer against the real schema
    },
    async exportOf(orgId) {
      const { body } = await post("/admin/v1/export", { org_ids: [orgId], with_passwords: true, with_otp: true });
      return (body as { orgs?: readonly unknown[] }).orgs?.[0];
    },
    exportAll: async () => (await post("/admin/v1/export", { with_passwords: true, with_otp: true })).body,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A human user that the service takes; `user` replaces parts of the user message. */
export function human(userId: string, user: object = {}): { userId: string; user: Record<string, unknown> } {
  const address = `${userId.replace(/\W/g, "-")}@example.com`;
  return {
    userId,
    user: {
      userName: address,
      profile: { firstName: "Ada", lastName: "Lovelace" },
      email: { email: address, isEmailVerified: true },
      ...user,
    },
  };
}
