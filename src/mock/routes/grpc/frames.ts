import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { grpcCodes } from "../../../contract/grpc-codes.ts";
import { type Refusal, refusalText } from "../../http/answer.ts";

/** The message in a gRPC-Web body: a flag, a length and the message. "nothing" for an empty body, "cut" for an incomplete one. */
export function messageIn(body: Uint8Array): Uint8Array | "nothing" | "cut" {
  if (body.length === 0) return "nothing";
  if (body.length < HEAD) return "cut";
  const length = new DataView(body.buffer, body.byteOffset, body.length).getUint32(1);
  return body.length < HEAD + length ? "cut" : body.subarray(HEAD, HEAD + length);
}

const HEAD = 5;
const TRAILERS = 0x80;

/** The head of a message of that length. */
export function messageHead(length: number): Buffer {
  return head(0, length);
}

function head(flag: number, length: number): Buffer {
  const bytes = Buffer.alloc(HEAD);
  bytes.writeUInt8(flag);
  bytes.writeUInt32BE(length, 1);
  return bytes;
}

/** The frame that ends an answer: status and error (probed on v4). */
export function trailers(refusal?: Refusal): Buffer {
  const lines =
    refusal === undefined
      ? ["grpc-status: 0"]
      : [
          `grpc-message: ${percentEncoded(refusalText(refusal))}`,
          `grpc-status: ${grpcCodes[refusal.kind].code}`,
          ...(refusal.id === undefined ? [] : [`grpc-status-details-bin: ${details(refusal)}`]),
        ];
  const text = Buffer.from(lines.map((line) => `${line}\r\n`).join(""));
  return Buffer.concat([head(TRAILERS, text.length), text]);
}

/** The encoding of `grpc-message`: every byte that is not printable ASCII is escaped. */
export function percentEncoded(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) =>
      byte >= 0x20 && byte <= 0x7e && byte !== 0x25
        ? String.fromCharCode(byte)
        : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`,
    )
    .join("");
}

/** google.rpc.Status with one zitadel.v1.ErrorDetail, in base64 without padding. */
function details(refusal: Refusal): string {
  const { code } = grpcCodes[refusal.kind];
  const detail = new BinaryWriter()
    .tag(1, BYTES)
    .string(refusal.id ?? "")
    .tag(2, BYTES)
    .string(refusal.message)
    .finish();
  const type = "type.googleapis.com/zitadel.v1.ErrorDetail";
  const any = new BinaryWriter().tag(1, BYTES).string(type).tag(2, BYTES).bytes(detail).finish();
  const status = new BinaryWriter().tag(1, WireType.Varint).int32(code).tag(2, BYTES).string(refusalText(refusal));
  return Buffer.from(status.tag(3, BYTES).bytes(any).finish()).toString("base64").replace(/=+$/, "");
}

const BYTES = WireType.LengthDelimited;
