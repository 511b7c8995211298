import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { finished, pipeline } from "node:stream/promises";
import { setTimeout } from "node:timers/promises";
import type { Answer } from "./answer.ts";
import { type Delivery, faultRows } from "./fault-kinds.ts";
import type { Fault } from "./faults.ts";

/**
 * Sends an answer with its faults and returns the number of bytes of its body. The signal is aborted when the caller closes the
 * connection, which is no error, or the server stops.
 */
export async function send(
  response: ServerResponse,
  answer: Answer,
  faults: readonly Fault[],
  signal: AbortSignal,
): Promise<number> {
  const [replacement = answer] = faults.flatMap(({ fault }) => faultRows[fault].replacement?.() ?? []);
  const { status, headers, body } = replacement;
  response.writeHead(status, { "content-type": "application/json", ...headers });
  try {
    const [delivery] = faults.flatMap((fault) => faultRows[fault.fault].delivery?.(wholeOf(body), fault) ?? []);
    return delivery === undefined ? await sendAll(response, body) : await deliver(response, delivery, signal);
  } catch {
    response.destroy(); // the caller closed the connection
    return 0;
  }
}

function wholeOf(body: Answer["body"]): Buffer {
  if (typeof body === "string") return Buffer.from(body);
  return body instanceof Uint8Array ? Buffer.from(body) : Buffer.concat([...body].map((piece) => Buffer.from(piece)));
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

async function deliver(response: ServerResponse, delivery: Delivery, signal: AbortSignal): Promise<number> {
  const { body, pieceBytes = body.length, delay = 0, closes = false } = delivery;
  for (let at = 0; at < body.length && !signal.aborted; at += pieceBytes) {
    const piece = body.subarray(at, at + pieceBytes);
    await new Promise<void>((done) => response.write(piece, () => done()));
    await setTimeout(delay, undefined, { signal }).catch(() => {});
  }
  if (closes) response.destroy();
  else response.end();
  return body.length;
}
