import { isObject, type JsonValue } from "../../protojson/json-value.ts";
import { delimited, fieldSize } from "../../protojson/proto-size.ts";
import type { Org } from "../../state/state.ts";
import { type ExportedField, type ExportSettings, exportedFields } from "./exported-org.ts";

const CHUNK_CHARACTERS = 64 * 1024;

/**
 * The export document `{"orgs":[…]}` in pieces of about 64 KiB, so that an instance of any size needs no more memory than that.
 * `{}` when there is no organization.
 */
export function* exportDocument(settings: ExportSettings): Generator<string> {
  if (settings.orgs.length === 0) {
    yield "{}";
    return;
  }
  let chunk = '{"orgs":[';
  for (const [index, org] of settings.orgs.entries()) {
    if (index > 0) chunk += ",";
    for (const piece of orgPieces(org, settings)) {
      chunk += piece;
      if (chunk.length < CHUNK_CHARACTERS) continue;
      yield chunk;
      chunk = "";
    }
  }
  yield `${chunk}]}`;
}

function* orgPieces(org: Org, settings: ExportSettings): Generator<string> {
  let before = "{";
  for (const { field, values } of exportedFields(org, settings)) {
    if (!field.repeated) {
      for (const value of values) yield `${before}"${field.json}":${JSON.stringify(value)}`;
      before = ",";
      continue;
    }
    let separator = `${before}"${field.json}":[`;
    for (const value of values) {
      yield separator + JSON.stringify(value);
      separator = ",";
    }
    if (separator === ",") yield "]";
  }
  yield "}";
}

/** Bytes of the whole answer in protobuf encoding, which is what the service's limit is about (service behaviour 0.14). */
export function exportSize(settings: ExportSettings): number {
  return settings.orgs.reduce((sum, org) => sum + 1 + delimited(orgSize(org, settings)), 0);
}

/** Bytes of one organization, without its own tag and length. */
export function orgSize(org: Org, settings: ExportSettings): number {
  let total = 0;
  for (const exported of exportedFields(org, settings)) for (const size of valueSizes(exported)) total += size;
  return total;
}

function* valueSizes({ field, values }: ExportedField): Generator<number> {
  for (const value of values) yield field.repeated ? elementSize(field, value) : fieldSize(field, value);
}

/** One element of a list of messages, with its tag. */
function elementSize(field: ExportedField["field"], value: JsonValue): number {
  if (!isObject(value)) return 0;
  return fieldSize({ ...field, repeated: false }, value);
}
