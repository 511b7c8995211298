import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import type { Call, Instance } from "../state/instance.ts";
import { type Answer, jsonAnswer, Refusal, refusalAnswer } from "./answer.ts";
import { statusAnswer } from "./fault-answers.ts";
import type { Fault } from "./faults.ts";
import { findRoute, type Route } from "./router.ts";
import { send } from "./send.ts";

/** What one exchange came to. */
export interface Outcome {
  readonly status: number | "reset";
  readonly requestBytes: number;
  readonly responseBytes: number;
  readonly body: Uint8Array;
}

/** Answers one request, with the faults that strike it. Never rejects for what the other side does. */
export async function exchange(
  request: IncomingMessage,
  response: ServerResponse,
  instance: Instance,
): Promise<Outcome> {
  const { socket } = request; // gone from the request once that is destroyed
  const url = new URL(request.url ?? "/", "http://mock");
  const found = findRoute(request.method ?? "", url.pathname);
  const faults = "handle" in found && found.endpoint !== undefined ? instance.faults.strike(found.endpoint) : [];
  const strikes = (kind: Fault["fault"]): Fault | undefined => faults.find(({ fault }) => fault === kind);
  for (const { fault, delay } of faults) if (fault === "latency") await setTimeout(delay);
  if (strikes("reset-before")) return reset(socket, new Uint8Array());
  const during = strikes("reset-during");
  const body = await readBody(request, during === undefined ? Number.POSITIVE_INFINITY : (during.bytes ?? 1));
  if (during !== undefined || body.cut) return reset(socket, body.bytes);
  const call = callOf(request, { url, body: body.bytes, response, faults });
  const answer = await answerOf(found, call, { instance, faults });
  if (strikes("reset-after")) return reset(socket, body.bytes);
  const sent = await send(response, answer, faults);
  return { status: answer.status, requestBytes: body.bytes.length, responseBytes: sent, body: body.bytes };
}

function reset(socket: Socket, body: Uint8Array): Outcome {
  socket.resetAndDestroy();
  return { status: "reset", requestBytes: body.length, responseBytes: 0, body };
}

async function readBody(request: IncomingMessage, most: number): Promise<{ bytes: Uint8Array; cut: boolean }> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= most) break;
    }
  } catch {
    return { bytes: Buffer.concat(chunks), cut: true }; // the caller hung up
  }
  return { bytes: Buffer.concat(chunks), cut: false };
}

interface CallParts {
  readonly url: URL;
  readonly body: Uint8Array;
  readonly response: ServerResponse;
  readonly faults: readonly Fault[];
}

function callOf(request: IncomingMessage, { url, body, response, faults }: CallParts): Call {
  const hangUp = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) hangUp.abort();
  });
  const timeout = faults.find(({ fault }) => fault === "timeout");
  return {
    method: request.method ?? "",
    path: url.pathname,
    query: url.searchParams,
    headers: request.headers,
    body,
    signal: hangUp.signal,
    perUserMs: faults.reduce((sum, { fault, delay }) => sum + (fault === "per-user" ? delay : 0), 0),
    ...(timeout === undefined ? {} : { stopAfterUsers: timeout.users }),
  };
}

interface Circumstances {
  readonly instance: Instance;
  readonly faults: readonly Fault[];
}

async function answerOf(found: Route | Answer, call: Call, { instance, faults }: Circumstances): Promise<Answer> {
  if (!("handle" in found)) return found;
  const status = faults.find(({ fault }) => /^\d+$/.test(fault));
  if (status !== undefined && !status.handled) return statusAnswer(status, instance.now());
  const answer = await handled(found, call, instance);
  return status === undefined ? answer : statusAnswer(status, instance.now());
}

async function handled(route: Route, call: Call, instance: Instance): Promise<Answer> {
  try {
    const answer = await route.handle(call, instance);
    // Whatever the endpoint does, a time-out strikes; an import has by then made as many users as the fault says.
    return call.stopAfterUsers === undefined
      ? answer
      : refusalAnswer(new Refusal("unknown", "context deadline exceeded"));
  } catch (error) {
    if (error instanceof Refusal) return refusalAnswer(error);
    instance.note(`bug in the mock: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    return jsonAnswer({ code: 13, message: "internal error" }, 500);
  }
}
