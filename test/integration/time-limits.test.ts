import { writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { testBody, testUsers } from "../helpers/bodies.ts";
import { startRawServer, startTcp } from "../helpers/raw-server.ts";
import { runCli } from "../helpers/run-cli.ts";
import { tempDir } from "../helpers/temp-dir.ts";

// The clock of the program is not real: a minute of waiting takes a fraction of a second.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A service that a command calls. */
interface Service {
  readonly url: string;
  /** True from the first connection on. */
  readonly hasCall: () => boolean;
}

const STEP_MS = 500;
const realTimeout = globalThis.setTimeout;

/** Seconds on the clock of the program from its first call until `run` ends; more than `mostSeconds`: it has not ended. */
async function secondsOf(run: Promise<unknown>, { hasCall }: Service, mostSeconds: number): Promise<number> {
  let isOver = false;
  const end = (): void => {
    isOver = true;
  };
  void run.then(end, end);
  while (!isOver && !hasCall()) await new Promise((resolve) => realTimeout(resolve, 4));
  let ms = 0;
  while (!isOver && ms <= mostSeconds * 1000) {
    await new Promise((resolve) => realTimeout(resolve, 4)); // the sockets are real
    if (isOver) break;
    await vi.advanceTimersByTimeAsync(STEP_MS);
    ms += STEP_MS;
  }
  return ms / 1000;
}

/** Sends a head, and then a byte each second. */
function drip(socket: Socket): void {
  socket.write("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n");
  const timer = setInterval(() => socket.write("1\r\n \r\n"), 1_000);
  socket.on("close", () => clearInterval(timer));
}

async function answering(answer: (socket: Socket) => void): Promise<Service> {
  const { url, requests } = await startRawServer(answer);
  return { url, hasCall: () => requests.length > 0 };
}

/** Accepts connections, and sends not one byte of a handshake. */
async function withoutHandshake(): Promise<Service> {
  let calls = 0;
  const { url } = await startTcp(() => {
    calls += 1;
  });
  return { url: url.replace("http:", "https:"), hasCall: () => calls > 0 };
}

const services: readonly (readonly [string, () => Promise<Service>])[] = [
  ["never answers", () => answering(() => {})],
  ["answers a byte each second", () => answering(drip)],
  ["never ends the TLS handshake", withoutHandshake],
];

const TOKEN = "a-token-of-a-test";

/** Each command that calls a service, and its limit in seconds: the time limit of its longest call, with the margin of an answer. */
const commands: readonly (readonly [string, readonly string[], number])[] = [
  ["doctor of a target", ["doctor", "--target", "URL", "--timeout", "3s"], 5],
  ["doctor of a source", ["doctor", "--source", "URL", "--timeout", "3s"], 5],
  ["doctor --probe", ["doctor", "--target", "URL", "--timeout", "3s", "--probe"], 5],
  ["export", ["export", "--source", "URL", "--timeout", "3s"], 40],
  ["import", ["import", "body.json", "--target", "URL", "--timeout", "3s"], 40],
  ["import --dry-run", ["import", "body.json", "--target", "URL", "--timeout", "3s", "--dry-run"], 40],
  ["copy", ["copy", "--source", "URL", "--target", "OTHER", "--timeout", "3s", "--yes"], 40],
  ["verify", ["verify", "body.json", "--target", "URL", "--timeout", "3s"], 40],
  ["undo", ["undo", "manifest.ndjson", "--target", "URL", "--yes"], 70],
  ["fetch auth0", ["fetch", "auth0", "--domain", "URL"], 70],
];

const env = {
  PAT_EXPORT_TOKEN: TOKEN,
  PAT_IMPORT_TOKEN: TOKEN,
  AUTH0_TOKEN: TOKEN,
};

describe.each(services)("a service that %s", (_, start) => {
  test.each(commands)("%s ends within its limits", async (_name, args, mostSeconds) => {
    const service = await start();
    const { url } = service;
    const cwd = tempDir();
    writeFileSync(join(cwd, "body.json"), testBody(testUsers(2)));
    writeFileSync(join(cwd, "manifest.ndjson"), manifestOf(url));
    const words: Readonly<Record<string, string>> = { URL: url, OTHER: url.replace("127.0.0.1", "localhost") };
    const run = runCli(
      args.map((word) => words[word] ?? word),
      { cwd, env },
    );
    const seconds = await secondsOf(run, service, mostSeconds);
    expect(seconds).toBeLessThanOrEqual(mostSeconds);
    const { exitCode, stderr } = await run;
    expect(exitCode, stderr).toBe(6);
    expect(stderr).not.toContain(TOKEN);
  });

  test("doctor with client credentials ends within --timeout", async () => {
    const service = await start();
    const client = { ORGFERRY_IMPORT_CLIENT_ID: "id", ORGFERRY_IMPORT_CLIENT_SECRET: "a-secret-of-a-test" };
    const run = runCli(["doctor", "--target", service.url, "--timeout", "3s"], { cwd: tempDir(), env: client });
    expect(await secondsOf(run, service, 5)).toBeLessThanOrEqual(5);
    expect((await run).exitCode).toBe(6);
  });
});

/** A manifest of one user, of this target. */
function manifestOf(target: string): string {
  return [
    { kind: "manifest", schemaVersion: 1, job: "j1", target, input: "0".repeat(64) },
    { id: "u1", orgId: "org1" },
    { kind: "end", users: 1, withoutId: 0, others: {} },
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("");
}
