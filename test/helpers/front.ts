import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import type { MockServer } from "../../src/mock/server.ts";

/** An answer in place of the mock's; a body that is a text is sent unchanged, any other as JSON. */
export interface Instead {
  readonly status: number;
  readonly body: unknown;
}

/** A server in front of a mock: it answers some calls itself and forwards the others. Returns its address. */
export async function startFront(
  mock: Pick<MockServer, "url">,
  answer: (path: string, body: Buffer) => Instead | undefined | Promise<Instead | undefined>,
): Promise<string> {
  return serve(async (request, body, response) => {
    const instead = await answer(request.url ?? "", body);
    if (instead === undefined) return forward(mock.url, request, body, response);
    response.writeHead(instead.status, { "content-type": "application/json", date: new Date().toUTCString() });
    response.end(typeof instead.body === "string" ? instead.body : JSON.stringify(instead.body));
  });
}

/** A target that does the first call to `path` about `id`, loses the answer, and answers nothing until `isBack`. */
export async function startCutOff(mock: Pick<MockServer, "url">, path: string, id: string) {
  const front = { url: "", isCutOff: false, isBack: false };
  front.url = await serve(async (request, body, response) => {
    if (!front.isCutOff && request.url === path && body.includes(id)) {
      front.isCutOff = true;
      const { authorization = "" } = request.headers;
      const headers = { authorization, "content-type": "application/json" };
      await fetch(`${mock.url}${path}`, { method: "POST", headers, body: new Uint8Array(body) });
    }
    if (front.isCutOff && !front.isBack) throw new Error("the connection ends");
    await forward(mock.url, request, body, response);
  });
  return front;
}

/** Handles requests with their bodies until the test ends; a handler that rejects closes the connection. Returns its address. */
export async function serve(
  handle: (request: IncomingMessage, body: Buffer, response: ServerResponse) => Promise<void>,
): Promise<string> {
  const server = createServer((request, response) => {
    void buffer(request)
      .then((body) => handle(request, body, response))
      .catch(() => response.destroy());
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Forwards a request to `url` and the answer back; `onAnswer` gets its status first. */
export async function forward(
  url: string,
  request: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
  onAnswer?: (status: number) => void | Promise<void>,
  instead?: string,
): Promise<void> {
  const { authorization = "", "content-type": type = "", "x-zitadel-orgid": org } = request.headers;
  const answered = await fetch(url + request.url, {
    method: request.method ?? "POST",
    headers: { authorization, "content-type": type, ...(typeof org === "string" ? { "x-zitadel-orgid": org } : {}) },
    body: request.method === "GET" ? null : new Uint8Array(body),
  });
  await onAnswer?.(answered.status);
  if (response.destroyed) return;
  const date = answered.headers.get("date") ?? "";
  response.writeHead(answered.status, { "content-type": answered.headers.get("content-type") ?? "", date });
  response.end(instead ?? Buffer.from(await answered.arrayBuffer()));
}
