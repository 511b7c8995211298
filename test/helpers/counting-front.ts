import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { onTestFinished } from "vitest";
import type { MockServer } from "../../src/mock/server.ts";
import { forward } from "./front.ts";

export interface CountingFront {
  readonly url: string;
  /** The environment that points a target at it. */
  readonly env: Readonly<Record<string, string>>;
  /** The most calls that write which were under way at a time. */
  most: number;
  /** Each call that writes, as method and path. */
  readonly calls: string[];
}

/** Calls take so long at least that others have the time to begin beside them. */
const LATENCY_MS = 5;
/** Everything else than GET writes, but for these. */
const READS = /(_search|\/export|^\/v2\/users)$/;

/** A front that counts how many calls that write are under way, on whatever path. */
export async function startCountingFront(mock: MockServer): Promise<CountingFront> {
  let underWay = 0;
  const server = createServer((request, response) => {
    void handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = { ZITADEL_IMPORT_DOMAIN: url, PAT_IMPORT_TOKEN: mock.token };
  const front: CountingFront = { url, env, most: 0, calls: [] };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url: path = "" } = request;
    const isWriting = method !== "GET" && !READS.test(path);
    if (isWriting) {
      underWay += 1;
      front.most = Math.max(front.most, underWay);
      front.calls.push(`${method} ${path}`);
    }
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer); // no encoding is set
      if (isWriting) await setTimeout(LATENCY_MS);
      await forward(mock.url, request, Buffer.concat(chunks), response);
    } finally {
      if (isWriting) underWay -= 1;
    }
  }
  return front;
}
