import { fromJson, type JsonValue, toBinary } from "@bufbuild/protobuf";
import { ExportDataResponseSchema } from "@zitadel/proto/zitadel/admin_pb";
import { serve } from "./front.ts";

/** The protobuf form of an export, for a JSON document of it. */
export function encodeExport(document: object): Buffer {
  return Buffer.from(toBinary(ExportDataResponseSchema, fromJson(ExportDataResponseSchema, document as JsonValue)));
}

/** A frame of gRPC-Web around a message, or around the trailer that ends a call. */
export function frameOf(message: Uint8Array, flags = 0): Buffer {
  const head = Buffer.alloc(5);
  head[0] = flags;
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

export function trailerOf(status: number, message = ""): Buffer {
  return frameOf(Buffer.from(`grpc-status: ${status}\r\ngrpc-message: ${encodeURIComponent(message)}\r\n`), 0x80);
}

export interface GrpcExportOptions {
  /** What comes back over gRPC-Web, piece by piece. */
  readonly pieces: Iterable<Buffer>;
  readonly status?: number;
  readonly contentType?: string;
  /** Answers an event search; without it there is no such call. */
  readonly searchEvents?: (request: EventSearch) => unknown;
}

export interface EventSearch {
  readonly asc?: boolean;
  readonly from?: string;
  readonly limit?: number;
}

/** A service whose documented export call says that its answer would be too large (service behaviour 0.14). */
export async function startGrpcExport(options: GrpcExportOptions): Promise<{ url: string; paths: string[] }> {
  const paths: string[] = [];
  const url = await serve(async (request, body, response) => {
    const path = request.url ?? "";
    paths.push(path);
    if (path.endsWith("/ExportData")) {
      const { status = 200, contentType = "application/grpc-web+proto" } = options;
      response.writeHead(status, { "content-type": contentType });
      for (const piece of options.pieces)
        if (!response.write(piece)) await new Promise((done) => response.once("drain", done));
      response.end();
      return;
    }
    const json = { "content-type": "application/json" };
    if (path === "/admin/v1/export") {
      const message = "grpc: received message larger than max (5900000 vs. 4194304)";
      response.writeHead(429, json).end(JSON.stringify({ code: 8, message }));
    } else if (path === "/admin/v1/events/_search" && options.searchEvents !== undefined) {
      response
        .writeHead(200, json)
        .end(JSON.stringify(options.searchEvents(JSON.parse(body.toString()) as EventSearch)));
    } else response.writeHead(404, json).end(JSON.stringify({ code: 5, message: "Not Found" }));
  });
  return { url, paths };
}
