import { isObject, type JsonObject, type JsonValue } from "./json-value.ts";
import type { FieldType, MessageType } from "./message-table.ts";

/**
 * Bytes of a decoded message in protobuf encoding, which is what the service measures against its limit (service behaviour
 * 2.9). Exact but for numbers outside their names and for timestamps and durations, which count as 14 bytes.
 */
export function protoSize(message: MessageType, value: JsonObject): number {
  let total = 0;
  for (const field of message.fields) {
    const given = value[field.json];
    if (given !== undefined && given !== null) total += fieldSize(field, given);
  }
  return total;
}

function fieldSize(field: FieldType, value: JsonValue): number {
  const tag = field.number < 16 ? 1 : 2;
  if (!field.repeated) return tag + valueSize(field, value);
  if (!Array.isArray(value)) return 0;
  if (field.kind.is === "enum") return tag + delimited(value.length); // packed, one byte each
  let total = 0;
  for (const element of value) total += tag + valueSize(field, element);
  return total;
}

function valueSize({ kind }: FieldType, value: JsonValue): number {
  if (kind.is === "message") return isObject(value) ? delimited(protoSize(kind.message, value)) : 0;
  if (kind.is === "enum") return 1;
  switch (kind.scalar) {
    case "bool":
      return 1;
    case "uint32":
    case "uint64":
      return varintSize(Number(value));
    case "bytes":
      return delimited(Buffer.byteLength(String(value), "base64"));
    case "string":
      return delimited(Buffer.byteLength(String(value)));
    default:
      return 14;
  }
}

function delimited(length: number): number {
  return varintSize(length) + length;
}

function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size += 1;
  return size;
}
