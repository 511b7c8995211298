import { Refusal } from "../http/answer.ts";
import type { Traits } from "../traits.ts";
import { decodeScalar } from "./decode-scalar.ts";
import { firstDuplicate } from "./duplicates.ts";
import { firstValue } from "./go-json.ts";
import { invalidStringAt, keyPositionOf, lineColumn, positionOf, type Step, tokenAt } from "./json-position.ts";
import { isObject, type JsonObject, type JsonValue } from "./json-value.ts";
import type { EnumType, FieldType, MessageType } from "./message-table.ts";

/** How the service words what it cannot decode. */
export type Wording = Pick<Traits, "protoPrefix" | "namesBadField">;

/**
 * Reads a request body as the gateway does: the first JSON value of it, then protojson with DiscardUnknown. Returns the canonical
 * form: camelCase, fields in their order, default values left out. An empty body is an empty message. Raises Refusal 400 code 3,
 * with a place where the service tells one.
 */
export function decodeBody(message: MessageType, body: Uint8Array, wording: Wording): JsonObject {
  const first = firstDocument(body, wording);
  return first === undefined ? {} : decodeDocument(message, first, wording);
}

/**
 * Reads one JSON document as protojson with DiscardUnknown does: snake_case and camelCase, unknown fields and unknown enum names
 * ignored, null as absent, one member of a oneof (service behaviour 1). Raises Refusal 400 code 3 with a place, and SyntaxError.
 */
export function decodeText(message: MessageType, text: string, wording: Wording): JsonObject {
  return decodeDocument(message, { text, value: JSON.parse(text) }, wording);
}

interface Document {
  readonly text: string;
  readonly value: JsonValue;
}

function decodeDocument(message: MessageType, { text, value }: Document, wording: Wording): JsonObject {
  const twice = isObject(value) ? firstDuplicate(message, text) : undefined;
  try {
    if (twice !== undefined) throw new DecodeFault([], () => `duplicate field "${twice.key}"`, twice.at);
    return decodeMessage(message, value, []);
  } catch (error) {
    if (error instanceof DecodeFault) throw refused(text, error, wording);
    throw error;
  }
}

/** The first JSON value of a body, or undefined when there is none. */
function firstDocument(body: Uint8Array, { protoPrefix }: Wording): Document | undefined {
  const whole = documentOf(body);
  if (whole !== undefined) return whole;
  const first = firstValue(body);
  if (first.is === "nothing") return undefined;
  if (first.is === "broken") throw new Refusal("invalidArgument", first.message);
  const document = documentOf(body.subarray(0, first.end));
  if (document !== undefined) return document;
  const place = lineColumn(Buffer.from(body).toString("latin1"), invalidStringAt(body));
  throw new Refusal("invalidArgument", `${protoPrefix}syntax error (line ${place}): invalid UTF-8 in string`);
}

/** undefined when it is no UTF-8 or not one JSON value. */
function documentOf(body: Uint8Array): Document | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
    const value: JsonValue = JSON.parse(text);
    return { text: text.trim(), value };
  } catch {
    return undefined;
  }
}

type Describe = (token: string, wording: Wording) => string;

/** A value that does not fit; `path` leads to it in the document as it was sent. */
class DecodeFault extends Error {
  readonly path: readonly Step[];
  readonly describe: Describe;
  /** Where it is when that is not the value: a key. */
  readonly at: number | "key" | undefined;

  constructor(path: readonly Step[], describe: Describe, at?: number | "key") {
    super("decode");
    this.path = [...path];
    this.describe = describe;
    this.at = at;
  }
}

const unexpected = (token: string): string => `syntax error: unexpected token ${token}`;

function refused(text: string, fault: DecodeFault, wording: Wording): Refusal {
  const at = fault.at === "key" ? keyPositionOf(text, fault.path) : (fault.at ?? positionOf(text, fault.path));
  const described = fault.describe(tokenAt(text, at), wording);
  const [, syntax, rest] = /^(syntax error)?:? ?(.*)$/s.exec(described) as RegExpExecArray;
  const place = `(line ${lineColumn(text, at)}): ${rest}`;
  const { protoPrefix } = wording;
  return new Refusal("invalidArgument", `${protoPrefix}${syntax === undefined ? place : `${syntax} ${place}`}`);
}

/** `path` is one array for the whole document: a step is added on the way down and taken back on the way up. */
function decodeMessage(message: MessageType, value: JsonValue, path: Step[]): JsonObject {
  if (!isObject(value)) throw new DecodeFault(path, unexpected);
  const result: JsonObject = {};
  let taken: Map<string, string> | undefined;
  for (const field of message.fields) {
    const key = keyOf(field, value, path);
    if (key === undefined) continue;
    const given = value[key];
    if (given === null || given === undefined) continue;
    if (field.oneof !== undefined) {
      taken ??= new Map();
      const before = taken.get(field.oneof);
      if (before !== undefined) throw oneofFault(message, field.oneof, [...path, laterOf(value, before, key)]);
      taken.set(field.oneof, key);
    }
    path.push(key);
    const decoded = decodeField(field, given, path);
    path.pop();
    if (decoded !== undefined) result[field.json] = decoded;
  }
  return result;
}

function keyOf({ json, proto }: FieldType, value: JsonObject, path: readonly Step[]): string | undefined {
  if (value[json] === undefined) return value[proto] === undefined ? undefined : proto;
  if (json === proto || value[proto] === undefined) return json;
  const later = laterOf(value, json, proto);
  throw new DecodeFault([...path, later], () => `duplicate field "${later}"`, "key");
}

/** Which of two keys stands later in the document. */
function laterOf(value: JsonObject, one: string, other: string): string {
  const keys = Object.keys(value);
  return keys.indexOf(one) > keys.indexOf(other) ? one : other;
}

function oneofFault(message: MessageType, oneof: string, path: readonly Step[]): DecodeFault {
  const key = JSON.stringify(path.at(-1));
  return new DecodeFault(path, () => `error parsing ${key}, oneof ${message.fullName}.${oneof} is already set`, "key");
}

function decodeField(field: FieldType, value: JsonValue, path: Step[]): JsonValue | undefined {
  if (!field.repeated) return decodeOne(field, value, path);
  if (!Array.isArray(value)) throw new DecodeFault(path, unexpected);
  const list: JsonValue[] = [];
  for (let index = 0; index < value.length; index += 1) {
    path.push(index);
    const decoded = decodeOne(field, value[index] ?? null, path, true);
    path.pop();
    if (decoded !== undefined) list.push(decoded);
  }
  return list.length === 0 ? undefined : list;
}

function decodeOne(field: FieldType, value: JsonValue, path: Step[], keep = false): JsonValue | undefined {
  const { kind } = field;
  const keepsDefault = keep || field.optional || field.oneof !== undefined;
  switch (kind.is) {
    case "message":
      return decodeMessage(kind.message, value, path);
    case "enum":
      return decodeEnum(kind.enum, field, value, path, keepsDefault);
    case "scalar": {
      const decoded = decodeScalar(kind.scalar, value);
      if (decoded === undefined) throw scalarFault(field, kind.scalar, path);
      return keepsDefault || !decoded.isDefault ? decoded.value : undefined;
    }
    default:
      return kind satisfies never;
  }
}

function scalarFault(field: FieldType, type: string, path: readonly Step[]): DecodeFault {
  return new DecodeFault(path, (token, wording) =>
    type === "duration" || type === "timestamp"
      ? `invalid google.protobuf.${type === "duration" ? "Duration" : "Timestamp"} value ${token}`
      : badValue(field, type, { token, wording }),
  );
}

function badValue(field: FieldType, type: string, { token, wording }: { token: string; wording: Wording }): string {
  return `invalid value for ${type} ${wording.namesBadField ? `field ${field.json}` : "type"}: ${token}`;
}

function decodeEnum(
  type: EnumType,
  field: FieldType,
  value: JsonValue,
  path: readonly Step[],
  keepsDefault: boolean,
): JsonValue | undefined {
  const number = typeof value === "string" ? type.numberOf.get(value) : value;
  if (number === undefined) return undefined; // an unknown name: DiscardUnknown
  if (typeof number !== "number" || !Number.isInteger(number)) {
    throw new DecodeFault(path, (token, wording) => badValue(field, "enum", { token, wording }));
  }
  if (number === 0 && !keepsDefault) return undefined;
  return type.nameOf.get(number) ?? number;
}
