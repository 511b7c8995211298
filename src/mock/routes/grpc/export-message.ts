import {
  type DescMessage,
  fromBinary,
  fromJson,
  type JsonValue as ProtoJson,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import { DataOrgSchema, ExportDataRequestSchema } from "@zitadel/proto/zitadel/admin_pb.js";
import type { JsonObject, JsonValue } from "../../protojson/json-value.ts";
import type { Org } from "../../state/state.ts";
import { exportSize, orgSize } from "../admin-api/export-document.ts";
import { type ExportedField, type ExportSettings, exportedFields } from "../admin-api/exported-org.ts";
import { lengthDelimitedHead, messageHead, trailers } from "./frames.ts";

// Loaded by the first call over gRPC-Web alone: the descriptors of the service are large.

const CHUNK_BYTES = 64 * 1024;
const ORGS = 1;

/** The fields of an ExportDataRequest, or undefined when the bytes are none. */
export function decodeExportRequest(bytes: Uint8Array): JsonObject | undefined {
  try {
    const json = toJson(ExportDataRequestSchema, fromBinary(ExportDataRequestSchema, bytes));
    return json as JsonObject; // a message is an object in JSON
  } catch {
    return undefined;
  }
}

/**
 * The answer over gRPC-Web in pieces of about 64 KiB: one message, whose length is told before its first byte, and the trailers. No
 * more of it is ever in memory than a piece.
 */
export function* exportMessage(settings: ExportSettings): Generator<Buffer> {
  let pieces: Buffer[] = [messageHead(exportSize(settings))];
  let bytes = 0;
  for (const org of settings.orgs) {
    for (const piece of orgMessage(org, settings)) {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes < CHUNK_BYTES) continue;
      yield Buffer.concat(pieces);
      [pieces, bytes] = [[], 0];
    }
  }
  yield Buffer.concat([...pieces, trailers()]);
}

function* orgMessage(org: Org, settings: ExportSettings): Generator<Buffer> {
  const told = orgSize(org, settings);
  yield lengthDelimitedHead(ORGS, told);
  let written = 0;
  for (const exported of exportedFields(org, settings)) {
    for (const value of exported.values) {
      const piece = encoded(exported.field, value);
      written += piece.length;
      yield piece;
    }
  }
  if (written !== told) throw new Error(`organization ${org.id}: ${written} bytes written, ${told} told`);
}

/** One value of a field of an organization, with its tag. */
function encoded({ json, repeated }: ExportedField["field"], value: JsonValue): Buffer {
  const schema: DescMessage = DataOrgSchema;
  const given = { [json]: repeated ? [value] : value } as ProtoJson; // what is kept in an entry is plain JSON
  const org = fromJson(schema, given);
  return Buffer.from(toBinary(schema, org));
}
