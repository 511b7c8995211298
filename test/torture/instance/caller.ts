import type { MockServer } from "../../../src/mock/server.ts";

export interface Reply {
  readonly ok: boolean;
  readonly body: unknown;
}

/** Calls an instance directly, without faults, with one token. */
export class Caller {
  readonly #mock: Pick<MockServer, "url">;
  readonly #token: string;

  constructor(mock: Pick<MockServer, "url">, token: string) {
    this.#mock = mock;
    this.#token = token;
  }

  /** @param orgId the organization of the call; absent: the default one. */
  async send(method: string, path: string, body?: object, orgId?: string): Promise<Reply> {
    const response = await fetch(this.#mock.url + path, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        "content-type": "application/json",
        ...(orgId === undefined ? {} : { "x-zitadel-orgid": orgId }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answered = await response.text();
    return { ok: response.ok, body: answered === "" ? {} : JSON.parse(answered) };
  }

  /** The body of a call that the trial itself needs. */
  async expect(method: string, path: string, body?: object): Promise<unknown> {
    const reply = await this.send(method, path, body);
    if (!reply.ok) throw new Error(`the trial itself is refused: ${path} ${JSON.stringify(reply.body)}`);
    return reply.body;
  }
}
