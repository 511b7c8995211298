import net, { type Socket } from "node:net";
import { Agent } from "undici";
import { expect, onTestFinished, test } from "vitest";
import {
  DeadlinePassed,
  type ExchangeFailed,
  type ExchangeLimits,
  exchange,
  TooManyBytes,
} from "../../../../src/admin/http/exchange.ts";
import { startRawServer } from "../../../helpers/raw-server.ts";

/** Sends one request and reads the answer to its end. */
async function fetchAll(
  url: string,
  limits: Partial<ExchangeLimits>,
  signal = new AbortController().signal,
): Promise<string> {
  const dispatcher = new Agent();
  onTestFinished(() => dispatcher.destroy());
  const answer = await exchange(dispatcher, {
    method: "POST",
    url,
    headers: {},
    body: Buffer.from("{}"),
    limits: { answerMs: 60_000, maxBytes: 1_000_000, ...limits },
    signal,
  });
  let text = "";
  for await (const chunk of answer.bytes()) text += chunk.toString("latin1");
  return text;
}

const failure = (work: Promise<unknown>): Promise<ExchangeFailed> =>
  work.then(
    () => Promise.reject(new Error("it did not fail")),
    (error: ExchangeFailed) => error,
  );

const HEAD = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

/** Writes again and again until the socket is gone. */
function every(ms: number, socket: Socket, bytes: string): void {
  const timer = setInterval(() => socket.write(bytes), ms);
  socket.on("close", () => clearInterval(timer));
}

test("a large answer is complete, even if it is read slowly", async () => {
  const body = "0123456789".repeat(300_000);
  const { url } = await startRawServer((socket) =>
    socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`),
  );
  expect(await fetchAll(url, { maxBytes: 4_000_000 })).toBe(body);
});

test("a slow answer ends with the time limit, though it is never silent", async () => {
  const { url } = await startRawServer((socket) => {
    socket.write(HEAD);
    every(20, socket, chunk("x"));
  });
  const { stage, cause } = await failure(fetchAll(url, { answerMs: 300 }));
  expect(stage).toBe("answering");
  expect(cause).toBeInstanceOf(DeadlinePassed);
});

test("endless informational answers are no answer", async () => {
  const { url } = await startRawServer((socket) => every(20, socket, "HTTP/1.1 103 Early Hints\r\n\r\n"));
  const { stage, cause } = await failure(fetchAll(url, { answerMs: 300 }));
  expect(stage).toBe("sent");
  expect(cause).toBeInstanceOf(DeadlinePassed);
});

test("a fast download may exceed its time limit, and a slow one may not", async () => {
  const steady = await startRawServer((socket) => {
    socket.write(HEAD);
    let left = 10;
    const timer = setInterval(() => {
      socket.write(chunk("x".repeat(10_000)));
      left -= 1;
      if (left > 0) return;
      clearInterval(timer);
      socket.write("0\r\n\r\n");
    }, 50);
  });
  const download = { answerMs: 200, slowestBytesPerSecond: 20_000 };
  expect(await fetchAll(steady.url, download)).toHaveLength(100_000);
  const drip = await startRawServer((socket) => {
    socket.write(HEAD);
    every(20, socket, chunk("x"));
  });
  expect((await failure(fetchAll(drip.url, download))).cause).toBeInstanceOf(DeadlinePassed);
});

test("an endless answer ends at its limit, and closes the connection", async () => {
  let closed: () => void = () => {};
  const gone = new Promise<void>((resolve) => {
    closed = resolve;
  });
  const { url } = await startRawServer((socket) => {
    socket.write(HEAD);
    every(1, socket, chunk("x".repeat(60_000)));
    socket.on("close", () => closed());
  });
  expect((await failure(fetchAll(url, {}))).cause).toBeInstanceOf(TooManyBytes);
  await gone;
});

test("a request that fails while it waits for its connection is never sent", async () => {
  let connectFirst: (() => void) | undefined;
  const { url, requests } = await startRawServer((socket) => socket.end("HTTP/1.1 204 No Content\r\n\r\n"));
  const dispatcher = new Agent({
    connections: 1,
    connect: (_, callback) => {
      const connect = (): void => {
        const socket = net.connect(Number(new URL(url).port), "127.0.0.1", () => callback(null, socket));
      };
      if (connectFirst === undefined) connectFirst = connect;
      else connect();
    },
  });
  onTestFinished(() => dispatcher.destroy());
  const send = (body: string, answerMs: number) =>
    exchange(dispatcher, {
      method: "POST",
      url,
      headers: {},
      body: Buffer.from(body),
      limits: { answerMs, maxBytes: 1 },
      signal: new AbortController().signal,
    });
  expect((await failure(send("[1]", 50))).stage).toBe("connecting");
  // The next one on the same connection is written after it, if it were written at all.
  const next = send("[2]", 60_000);
  connectFirst?.();
  expect((await next).status).toBe(204);
  expect(requests.map((request) => request.slice(-3))).toEqual(["[2]"]);
});

test.each(["connecting", "sent", "answering"])("the signal ends an exchange at once while it is %s", async (stage) => {
  const controller = new AbortController();
  const stop = (): void => controller.abort(new Error("stopped"));
  const { url } = await startRawServer((socket) => {
    if (stage === "answering") socket.write(HEAD + chunk("x"));
    setImmediate(stop);
  });
  const dispatcher =
    stage === "connecting"
      ? new Agent({
          connect: () => {
            setImmediate(stop);
          },
        })
      : new Agent();
  onTestFinished(() => dispatcher.destroy());
  const limits = { answerMs: 60_000, maxBytes: 1_000 };
  const work = exchange(dispatcher, {
    method: "POST",
    url,
    headers: {},
    body: Buffer.from("{}"),
    limits,
    signal: controller.signal,
  }).then(async ({ bytes }) => {
    for await (const _ of bytes());
  });
  await expect(work).rejects.toThrow("stopped");
});
