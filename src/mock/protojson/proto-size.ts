import { isObject, type JsonObject, type JsonValue } from "./json-value.ts";
import type { EnumType, FieldType, MessageType } from "./message-table.ts";

/**
 * Bytes of a decoded message in protobuf encoding, which is what the service measures against its limit (service behaviour 0.9,
 * 0.14). Exact: the export over gRPC-Web tells the length of a message before it writes it. A test holds it against the encoder.
 */
export function protoSize(message: MessageType, value: JsonObject): number {
  let total = 0;
  for (const field of message.fields) {
    const given = value[field.json];
    if (given !== undefined && given !== null) total += fieldSize(field, given);
  }
  return total;
}

/** Bytes of one field with its tag, or of all elements of a list with theirs. */
export function fieldSize(field: FieldType, value: JsonValue): number {
  const tag = tagSize(field);
  if (!field.repeated) return tag + valueSize(field, value);
  if (!Array.isArray(value)) return 0;
  const { kind } = field;
  if (kind.is === "enum") {
    const packed = value.reduce((sum: number, element) => sum + varintSize(enumNumber(kind.enum, element)), 0);
    return tag + delimited(packed);
  }
  let total = 0;
  for (const element of value) total += tag + valueSize(field, element);
  return total;
}

/** Bytes of the tag of a field. */
export function tagSize({ number }: FieldType): number {
  return varintSize(number * 8);
}

function valueSize({ kind }: FieldType, value: JsonValue): number {
  if (kind.is === "message") return isObject(value) ? delimited(protoSize(kind.message, value)) : 0;
  if (kind.is === "enum") return varintSize(enumNumber(kind.enum, value));
  switch (kind.scalar) {
    case "bool":
      return 1;
    case "uint32":
    case "uint64":
      return varintSize(BigInt(String(value)));
    case "bytes":
      return delimited(Buffer.byteLength(String(value), "base64"));
    case "string":
      return delimited(Buffer.byteLength(String(value)));
    case "duration":
      return delimited(durationSize(String(value)));
    case "timestamp":
      return delimited(momentSize(BigInt(Date.parse(wholeSeconds(String(value))) / 1000), nanosOf(String(value))));
    case "struct":
      return delimited(structSize(value));
    default:
      return kind.scalar satisfies never;
  }
}

/** google.protobuf.Struct: a map from keys to values of any kind. */
function structSize(value: JsonValue): number {
  if (!isObject(value)) return 0;
  let total = 0;
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    total += 1 + delimited(1 + delimited(Buffer.byteLength(key)) + 1 + delimited(anySize(member)));
  }
  return total;
}

/** google.protobuf.Value: every kind has its field. */
function anySize(value: JsonValue): number {
  if (typeof value === "number") return 9;
  if (typeof value === "string") return 1 + delimited(Buffer.byteLength(value));
  if (value === null || typeof value === "boolean") return 2;
  if (isObject(value)) return 1 + delimited(structSize(value));
  return 1 + delimited(value.reduce((sum: number, item) => sum + 1 + delimited(anySize(item)), 0));
}

function enumNumber({ numberOf }: EnumType, value: JsonValue): bigint {
  return BigInt(typeof value === "number" ? value : (numberOf.get(String(value)) ?? 0));
}

function wholeSeconds(timestamp: string): string {
  return timestamp.replace(/\.\d+/, "");
}

function nanosOf(text: string): bigint {
  return BigInt((/\.(\d+)/.exec(text)?.[1] ?? "").padEnd(9, "0"));
}

function durationSize(text: string): number {
  const sign = text.startsWith("-") ? -1n : 1n;
  const seconds = BigInt(/^-?(\d+)/.exec(text)?.[1] ?? 0);
  return momentSize(sign * seconds, sign * nanosOf(text));
}

/** Seconds and nanoseconds, each left out when it is 0. */
function momentSize(seconds: bigint, nanos: bigint): number {
  return (seconds === 0n ? 0 : 1 + varintSize(seconds)) + (nanos === 0n ? 0 : 1 + varintSize(nanos));
}

/** A length-delimited value: its length, then itself. */
export function delimited(length: number): number {
  return varintSize(length) + length;
}

function varintSize(value: number | bigint): number {
  if (typeof value === "bigint") return bigVarintSize(value);
  let size = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size += 1;
  return size;
}

function bigVarintSize(value: bigint): number {
  if (value < 0n) return 10;
  let size = 1;
  for (let rest = value; rest >= 128n; rest >>= 7n) size += 1;
  return size;
}
