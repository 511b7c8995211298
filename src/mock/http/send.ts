import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { finished, pipeline } from "node:stream/promises";
import { setTimeout } from "node:timers/promises";
import type { Answer } from "./answer.ts";
import { htmlPage } from "./fault-answers.ts";
import type { Fault } from "./faults.ts";

export interface Sending {
  readonly faults: readonly Fault[];
  /** Aborted when the caller closes the connection or the server stops. */
  readonly signal: AbortSignal;
}

/** Sends an answer with its faults and returns the number of bytes of its body. Never rejects when the caller closes the connection. */
export async function send(response: ServerResponse, answer: Answer, { faults, signal }: Sending): Promise<number> {
  const strikes = (kind: Fault["fault"]): Fault | undefined => faults.find(({ fault }) => fault === kind);
  const { status, headers, body } = strikes("not-json") ? htmlPage("Welcome", 200) : answer;
  response.writeHead(status, { "content-type": "application/json", ...headers });
  try {
    const truncated = strikes("truncated");
    if (truncated) return await sendCut(response, wholeOf(body), truncated);
    const trickle = strikes("trickle");
    if (trickle) return await sendSlowly(response, wholeOf(body), { fault: trickle, signal });
    const sent = strikes("half-json") ? halfOf(wholeOf(body)) : body;
    return await sendAll(response, sent);
  } catch {
    response.destroy(); // the caller closed the connection
    return 0;
  }
}

function wholeOf(body: Answer["body"]): Buffer {
  if (typeof body === "string") return Buffer.from(body);
  return body instanceof Uint8Array ? Buffer.from(body) : Buffer.concat([...body].map((piece) => Buffer.from(piece)));
}

function halfOf(bytes: Buffer): Buffer {
  return bytes.subarray(0, Math.ceil(bytes.length / 2));
}

async function sendAll(response: ServerResponse, body: Answer["body"]): Promise<number> {
  if (typeof body === "string" || body instanceof Uint8Array) {
    response.end(body);
    await finished(response); // `end` does not call back after the connection was closed
    return Buffer.byteLength(body);
  }
  let bytes = 0;
  const counted = function* (): Generator<Buffer> {
    for (const piece of body) {
      const chunk = Buffer.from(piece);
      bytes += chunk.length;
      yield chunk;
    }
  };
  await pipeline(Readable.from(counted()), response);
  return bytes;
}

/** Sends part of the body and closes the connection. */
async function sendCut(response: ServerResponse, body: Buffer, { bytes }: Fault): Promise<number> {
  const part = body.subarray(0, Math.min(bytes ?? Math.ceil(body.length / 2), Math.max(body.length - 1, 0)));
  await new Promise<void>((done) => response.write(part, () => done()));
  response.destroy();
  return part.length;
}

async function sendSlowly(
  response: ServerResponse,
  body: Buffer,
  { fault: { bytes = 16, delay }, signal }: { fault: Fault; signal: AbortSignal },
): Promise<number> {
  const size = Math.max(bytes, 1);
  for (let at = 0; at < body.length && !signal.aborted; at += size) {
    response.write(body.subarray(at, at + size));
    await setTimeout(delay, undefined, { signal }).catch(() => {});
  }
  response.end();
  return body.length;
}
