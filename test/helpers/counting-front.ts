import { setTimeout } from "node:timers/promises";
import type { MockServer } from "../../src/mock/server.ts";
import { forward, serve } from "./front.ts";

export interface CountingFront {
  readonly url: string;
  /** The environment that points a target at it. */
  readonly env: Readonly<Record<string, string>>;
  /** The largest number of concurrent writes. */
  most: number;
  /** The same, by the method of the calls. */
  mostOf: Record<string, number>;
  /** Each write, as method and path. */
  readonly calls: string[];
}

/** Each write takes at least this long, so that others can start in the meantime. */
const LATENCY_MS = 5;
/** Every call except GET writes, except these. */
const READS = /(_search|\/export|^\/v2\/users)$/;

/** A server in front of a mock that counts concurrent writes, on any path. */
export async function startCountingFront(mock: MockServer): Promise<CountingFront> {
  let underWay = 0;
  const calls: string[] = [];
  const url = await serve(async (request, body, response) => {
    const { method = "", url: path = "" } = request;
    if (method === "GET" || READS.test(path)) return forward(mock.url, request, body, response);
    underWay += 1;
    front.most = Math.max(front.most, underWay);
    front.mostOf[method] = Math.max(front.mostOf[method] ?? 0, underWay);
    calls.push(`${method} ${path}`);
    try {
      await setTimeout(LATENCY_MS);
      await forward(mock.url, request, body, response);
    } finally {
      underWay -= 1;
    }
  });
  const env = { ZITADEL_IMPORT_DOMAIN: url, PAT_IMPORT_TOKEN: mock.token };
  const front: CountingFront = { url, env, most: 0, mostOf: {}, calls };
  return front;
}
