import type { IncomingMessage } from "node:http";

/**
 * Most bytes of a body: the real service takes 101 MB (recording 165), and what its limit is about is the message in it. More than
 * this is refused with 413.
 */
const MOST_BYTES = 128 * 1024 * 1024;
/** Most bytes from a caller without a valid token: enough to say what is wrong with a small body, as the real gateway does first. */
const MOST_FROM_STRANGERS = 64 * 1024;

export interface BodyLimit {
  /** The caller has a token that is valid. */
  readonly isKnown: boolean;
  /** A fault: stop after that many bytes. */
  readonly cutAfter?: number;
}

export interface Body {
  readonly bytes: Uint8Array;
  /** "whole", or why it is not: cut off by the caller or a fault, or larger than may be. */
  readonly end: "whole" | "cut" | "too-large";
}

/** Reads a body up to its limit. What is larger is not read on. Never rejects. */
export async function readBody(request: IncomingMessage, { isKnown, cutAfter }: BodyLimit): Promise<Body> {
  const most = isKnown ? MOST_BYTES : MOST_FROM_STRANGERS;
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
    return { bytes: Buffer.concat(chunks), end: "cut" }; // the caller hung up
  }
  return { bytes: Buffer.concat(chunks), end: "whole" };
}
