import { grpcCodes } from "../../contract/grpc-codes.ts";
import { ProblemError } from "../../problem.ts";
import type { Answer } from "../call.ts";

/** The status of a gRPC call: 0 is success, other codes are the same as in REST refusals. */
export interface GrpcStatus {
  readonly code: number;
  readonly message: string;
}

const HEAD_BYTES = 5;
const TRAILER = 0x80;
const MAX_TRAILER_BYTES = 64 * 1024;

/** A message of the gRPC-Web protocol, after its flag and length. */
export function toFrame(message: Uint8Array): Buffer {
  const frame = Buffer.alloc(HEAD_BYTES + message.length);
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, HEAD_BYTES);
  return frame;
}

/**
 * The chunks of an answer's only message, without frames. The final status goes to `onStatus`, which raises its problem. Raises
 * net.cut-off for an answer without a status, api.unexpected for an invalid frame and for a second message.
 */
export async function* unframed(answer: Answer, onStatus: (status: GrpcStatus) => void): AsyncGenerator<Buffer> {
  const { host } = answer;
  let frame: { readonly isTrailer: boolean; left: number } | undefined;
  let head = Buffer.alloc(0);
  let trailer = "";
  let ended = false;
  let messages = 0;
  for await (const chunk of answer.bytes()) {
    for (let rest = chunk; rest.length > 0; ) {
      if (ended)
        throw new ProblemError({ code: "api.unexpected", host, what: "bytes after the end of a gRPC-Web answer" });
      if (frame === undefined) {
        const missing = HEAD_BYTES - head.length;
        head = Buffer.concat([head, rest.subarray(0, missing)]);
        rest = rest.subarray(missing);
        if (head.length < HEAD_BYTES) break;
        frame = toHead(head, host);
        head = Buffer.alloc(0);
        messages += frame.isTrailer ? 0 : 1;
        // Two messages would be read as one: protobuf merges them.
        if (messages > 1) throw new ProblemError({ code: "api.unexpected", host, what: "two answers to one call" });
      }
      const part = rest.subarray(0, frame.left);
      rest = rest.subarray(part.length);
      frame.left -= part.length;
      if (!frame.isTrailer && part.length > 0) yield part;
      if (frame.isTrailer) trailer += part.toString("latin1");
      if (frame.left > 0) break;
      ended = frame.isTrailer;
      frame = undefined;
    }
  }
  const status =
    readStatus(trailer) ??
    readStatus(
      `grpc-status: ${answer.header("grpc-status") ?? ""}\r\ngrpc-message: ${answer.header("grpc-message") ?? ""}`,
    );
  if (frame !== undefined || status === undefined) throw new ProblemError({ code: "net.cut-off", host });
  onStatus(status);
}

function toHead(head: Buffer, host: string): { readonly isTrailer: boolean; left: number } {
  const flags = head[0] as number; // five bytes
  const left = head.readUInt32BE(1);
  const isTrailer = flags === TRAILER;
  // Any other flag is an unexpected compressed message, or no frame.
  if ((flags !== 0 && flags !== TRAILER) || (isTrailer && left > MAX_TRAILER_BYTES)) {
    throw new ProblemError({ code: "api.unexpected", host, what: "an invalid gRPC-Web frame" });
  }
  return { isTrailer, left };
}

/** Reads the lines of a trailer, which look like HTTP headers; the message is percent-encoded. */
function readStatus(trailer: string): GrpcStatus | undefined {
  const value = (name: string): string | undefined => new RegExp(`^${name}: *(.*?)\\s*$`, "im").exec(trailer)?.[1];
  const code = value("grpc-status");
  if (code === undefined || !/^\d{1,2}$/.test(code)) return undefined;
  return { code: Number(code), message: decoded(value("grpc-message") ?? "") };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The HTTP status that the service's gateway gives a gRPC code (service behaviour 2.8). */
export function httpStatusOf(code: number): number {
  return Object.values(grpcCodes).find((known) => known.code === code)?.status ?? 500;
}
