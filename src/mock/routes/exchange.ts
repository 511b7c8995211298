import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import type { LoggedRequest } from "../api.ts";
import { type Answer, jsonAnswer, ProcessEnd, Refusal, refusalAnswer, worded } from "../http/answer.ts";
import { grantOf } from "../http/auth.ts";
import { type CallFaults, faultRows } from "../http/fault-kinds.ts";
import { type Fault, statusAnswer } from "../http/faults.ts";
import { guard } from "../http/guard.ts";
import { deadlineExceeded } from "../http/pace.ts";
import { readBody } from "../http/read-body.ts";
import { send } from "../http/send.ts";
import type { Call, Instance } from "../state/instance.ts";
import { type Found, findRoute, isControlPath, type Route } from "./router.ts";
import { sourceStatusAnswer } from "./source/answers.ts";

/** The outcome of one exchange. */
export interface Outcome extends Pick<LoggedRequest, "status" | "requestBytes" | "responseBytes" | "note"> {
  readonly body: Uint8Array;
}

/** Answers one request, with the faults that strike it. Never rejects because of the caller. */
export async function exchange(
  request: IncomingMessage,
  response: ServerResponse,
  instance: Instance,
): Promise<Outcome> {
  const { socket } = request; // a destroyed request has none
  const url = urlOf(request);
  const found = routeOf(request, url, instance);
  const signal = AbortSignal.any([hangUpOf(response), instance.stopping]);
  const faults =
    "route" in found && found.route.endpoint !== undefined ? instance.faults.strike(found.route.endpoint) : [];
  const resets = new Map(faults.map((fault) => [faultRows[fault.fault].reset, fault]));
  for (const fault of faults) await waited(faultRows[fault.fault].wait?.(fault) ?? 0, signal);
  if (resets.has("before")) return reset(socket, new Uint8Array());
  const during = resets.get("during");
  const isKnown = isKnownCaller(request, found, instance);
  const body = await readBody(request, isKnown, during && (during.bytes ?? 1));
  if (during !== undefined || body.end === "cut") return reset(socket, body.bytes);
  if (body.end === "too-large") response.setHeader("connection", "close");
  const call: Call = {
    method: request.method ?? "",
    path: url.pathname,
    parameters: "route" in found ? found.parameters : [],
    query: url.searchParams,
    headers: request.headers,
    body: body.bytes,
    signal,
    ...callFaults(faults),
  };
  const answer = body.end === "too-large" && isKnown ? tooLarge() : await answerOf(found, call, instance, faults);
  if (answer instanceof ProcessEnd) return closed(socket, body.bytes, answer);
  if (resets.has("after")) return reset(socket, body.bytes);
  const sent = await send(response, answer, faults, signal);
  // The rest of a body that is too large is not read.
  if (body.end === "too-large") socket.destroySoon();
  return { status: answer.status, requestBytes: body.bytes.length, responseBytes: sent, body: body.bytes };
}

/** A target that is not a path, such as `//`, is the root. */
function urlOf({ url = "/" }: IncomingMessage): URL {
  try {
    return new URL(url.startsWith("/") ? `http://mock/${url.replace(/^\/+/, "")}` : url);
  } catch {
    return new URL("http://mock/");
  }
}

function routeOf(request: IncomingMessage, url: URL, instance: Instance): Found | Answer {
  const refused = guard(request.headers, isControlPath(url.pathname), instance);
  return refused ?? findRoute(request.method ?? "", url.pathname, instance);
}

/** Aborted when the caller closes the connection before it has the answer. */
function hangUpOf(response: ServerResponse): AbortSignal {
  const hangUp = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) hangUp.abort();
  });
  return hangUp.signal;
}

/** Waits that long, or until the signal is aborted. */
async function waited(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await setTimeout(ms, undefined, { signal }).catch(() => {});
}

/** Whether the caller has a valid token: its body may be larger. */
function isKnownCaller({ headers }: IncomingMessage, found: Found | Answer, instance: Instance): boolean {
  if (!("route" in found) || found.route.isControl === true) return false;
  return grantOf(headers.authorization ?? "", instance) !== undefined;
}

function tooLarge(): Answer {
  return jsonAnswer({ code: 8, message: "the mock reads bodies of at most 128 MiB" }, 413);
}

function reset(socket: Socket, body: Uint8Array): Outcome {
  socket.resetAndDestroy();
  return { status: "reset", requestBytes: body.length, responseBytes: 0, body };
}

function closed(socket: Socket, body: Uint8Array, { message }: ProcessEnd): Outcome {
  socket.destroy();
  return { status: "closed", requestBytes: body.length, responseBytes: 0, body, note: message };
}

/** Of several faults of a kind the first one counts. */
function callFaults(faults: readonly Fault[]): CallFaults {
  const found: CallFaults = { perUserMs: 0, isSpoiled: false, lagUsers: 0, namelessUsers: 0 };
  for (const fault of faults.toReversed()) Object.assign(found, faultRows[fault.fault].handling?.(fault, found));
  return found;
}

async function answerOf(
  found: Found | Answer,
  call: Call,
  instance: Instance,
  faults: readonly Fault[],
): Promise<Answer | ProcessEnd> {
  if (!("route" in found)) return found;
  const toAnswer = isOfSource(found.route) ? sourceStatusAnswer : statusAnswer;
  const struck = faults.find(({ fault }) => faultRows[fault].status !== undefined);
  const status = struck === undefined ? undefined : toAnswer(struck, instance.now());
  if (status !== undefined && struck?.handled === false) return status;
  const answer = await handled(found.route, call, instance);
  return status ?? answer;
}

/** The source provider's errors have another shape. */
function isOfSource({ endpoint }: Route): boolean {
  return endpoint === "jobs" || endpoint === "connections" || endpoint === "memberships";
}

async function handled(route: Route, call: Call, instance: Instance): Promise<Answer | ProcessEnd> {
  try {
    const answer = await route.handle(call, instance);
    // A time-out strikes any endpoint. An import has then created as many users as the fault says.
    if (call.stopAfterUsers !== undefined) throw deadlineExceeded();
    return answer;
  } catch (error) {
    if (error instanceof ProcessEnd) return error;
    if (error instanceof Refusal) return refusalAnswer(worded(error, call.path, instance.traits));
    instance.note(`bug in the mock: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    return jsonAnswer({ code: 13, message: "internal error" }, 500);
  }
}
