import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { IncomingMessage, Server } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { createMockServer, type MockOptions, type MockServer } from "../../src/mock/server.ts";

export interface TestMock extends MockServer {
  /** The environment that points a target at it. */
  readonly env: Record<string, string>;
  /** Resolves when so many requests of a path with this end have been answered from now on. */
  answered(path: string, count?: number): Promise<void>;
  /** Resolves when so many requests of a path with this end have come in from now on, before the last of them is answered. */
  arrived(path: string, count?: number): Promise<void>;
}

/** A mock instance that goes away with the test that asked for it. */
export async function startMock(options: MockOptions = {}): Promise<TestMock> {
  const answers = createCounter();
  const arrivals = createCounter();
  const mock = await createMockServer({ keepBodies: true, ...options, onRequest: ({ path }) => answers.count(path) });
  // Node tells of every request that any server of this process begins with.
  const onStart = (message: unknown): void => {
    const { request, server } = message as { request: IncomingMessage; server: Server }; // so documented
    if ((server.address() as AddressInfo | null)?.port === mock.port) arrivals.count(request.url ?? "");
  };
  subscribe(STARTED, onStart);
  onTestFinished(() => {
    unsubscribe(STARTED, onStart);
    return mock.close();
  });
  const env = { ZITADEL_IMPORT_DOMAIN: mock.url, PAT_IMPORT_TOKEN: mock.token };
  return Object.assign(mock, { env, answered: answers.wait, arrived: arrivals.wait });
}

const STARTED = "http.server.request.start";

/** Counts events by path, and resolves the waits that have their count. */
function createCounter(): { count(path: string): void; wait(path: string, count?: number): Promise<void> } {
  const waiting = new Set<(path: string) => void>();
  return {
    count: (path) => {
      for (const look of waiting) look(path);
    },
    wait: (end, count = 1) =>
      new Promise((done) => {
        let left = count;
        const look = (path: string): void => {
          if (path.endsWith(end)) left -= 1;
          if (left > 0) return;
          waiting.delete(look);
          done();
        };
        waiting.add(look);
      }),
  };
}
