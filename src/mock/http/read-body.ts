import type { IncomingMessage } from "node:http";

/**
 * Largest body. The real service accepts 101 MB of JSON (recording 165): its limit is for the message. A larger body gets a 413.
 */
const MAX_BYTES = 128 * 1024 * 1024;
/** Largest body of a caller without a valid token. The real gateway also parses it before it checks the token. */
const MAX_BYTES_WITHOUT_TOKEN = 64 * 1024;

export interface Body {
  readonly bytes: Uint8Array;
  /** "cut": by the caller or a fault; "too-large": over the limit. */
  readonly end: "whole" | "cut" | "too-large";
}

/**
 * Reads a body up to its limit. `isKnown`: the caller has a valid token. `cutAfter`, a fault: stops after that many bytes. Never
 * rejects.
 */
export async function readBody(request: IncomingMessage, isKnown: boolean, cutAfter?: number): Promise<Body> {
  const most = isKnown ? MAX_BYTES : MAX_BYTES_WITHOUT_TOKEN;
  const announced = Number(request.headers["content-length"] ?? 0);
  if (announced > most && cutAfter === undefined) return { bytes: new Uint8Array(), end: "too-large" };
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      chunks.push(chunk);
      length += chunk.length;
      if (cutAfter !== undefined && length >= cutAfter) return { bytes: Buffer.concat(chunks), end: "cut" };
      if (length > most) return { bytes: new Uint8Array(), end: "too-large" };
    }
  } catch {
    return { bytes: Buffer.concat(chunks), end: "cut" }; // the caller closed the connection
  }
  return { bytes: Buffer.concat(chunks), end: "whole" };
}
