import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { MockServer } from "../../src/mock/server.ts";

/** An answer in place of the mock's; the body is JSON, or a text as it is. */
export interface Instead {
  readonly status: number;
  readonly body: unknown;
}

/** A server in front of a mock: it answers some calls itself and hands the others on. Returns its address. */
export async function startFront(
  mock: Pick<MockServer, "url">,
  answer: (path: string, body: Buffer) => Instead | undefined,
): Promise<string> {
  const server = createServer((request, response) => {
    void handle(request, response).catch(() => response.destroy());
  });
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer); // no encoding is set
    const body = Buffer.concat(chunks);
    const instead = answer(request.url ?? "", body);
    if (instead === undefined) return forward(mock.url, request, body, response);
    response.writeHead(instead.status, { "content-type": "application/json", date: new Date().toUTCString() });
    response.end(typeof instead.body === "string" ? instead.body : JSON.stringify(instead.body));
  }
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Hands a request on to `url` and the answer back; `onAnswer` is told its status before. */
export async function forward(
  url: string,
  request: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
  onAnswer?: (status: number) => void,
  instead?: string,
): Promise<void> {
  const { authorization = "", "content-type": type = "" } = request.headers;
  const answered = await fetch(url + request.url, {
    method: request.method ?? "POST",
    headers: { authorization, "content-type": type },
    body: request.method === "GET" ? null : new Uint8Array(body),
  });
  onAnswer?.(answered.status);
  if (response.destroyed) return;
  const date = answered.headers.get("date") ?? "";
  response.writeHead(answered.status, { "content-type": answered.headers.get("content-type") ?? "", date });
  response.end(instead ?? Buffer.from(await answered.arrayBuffer()));
}
