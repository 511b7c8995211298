import { Refusal } from "../http/answer.ts";
import { decodeScalar } from "./decode-scalar.ts";
import { lineColumn, positionOf, type Step, tokenAt } from "./json-position.ts";
import { syntaxFaultAt } from "./json-syntax.ts";
import { isObject, type JsonObject, type JsonValue } from "./json-value.ts";
import type { EnumType, FieldType, MessageType } from "./message-table.ts";

/**
 * Reads a request body as protojson with DiscardUnknown does: snake_case and camelCase, unknown fields and unknown enum names
 * ignored, null as absent, one member of a oneof (service behaviour 1). Returns the canonical form: camelCase, fields in their
 * order, default values left out. An empty body is an empty message. Raises Refusal 400 code 3 with a place. A key given
 * twice with the same spelling is not noticed: the last counts.
 */
export function decodeBody(message: MessageType, text: string): JsonObject {
  if (text.trim() === "") return {};
  const value = parseJson(text);
  try {
    return decodeMessage(message, value, []);
  } catch (error) {
    if (error instanceof DecodeFault) throw refused(text, error);
    throw error;
  }
}

/** A value that does not fit; `path` leads to it in the document as it was sent. */
class DecodeFault extends Error {
  readonly path: readonly Step[];
  readonly describe: (token: string) => string;

  constructor(path: readonly Step[], describe: (token: string) => string) {
    super("decode");
    this.path = [...path];
    this.describe = describe;
  }
}

const unexpected = (token: string): string => `syntax error: unexpected token ${token}`;

function refused(text: string, fault: DecodeFault): Refusal {
  const at = positionOf(text, fault.path);
  const [, syntax, rest] = /^(syntax error)?:? ?(.*)$/s.exec(fault.describe(tokenAt(text, at))) as RegExpExecArray;
  const place = `(line ${lineColumn(text, at)}): ${rest}`;
  return new Refusal("invalidArgument", syntax === undefined ? `proto: ${place}` : `proto: ${syntax} ${place}`);
}

function parseJson(text: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch {
    const at = syntaxFaultAt(text);
    const token = at >= text.length ? "unexpected EOF" : `unexpected token ${tokenAt(text, at)}`;
    throw new Refusal("invalidArgument", `proto: syntax error (line ${lineColumn(text, at)}): ${token}`);
  }
}

/** `path` is one array for the whole document: a step is added on the way down and taken back on the way up. */
function decodeMessage(message: MessageType, value: JsonValue, path: Step[]): JsonObject {
  if (!isObject(value)) throw new DecodeFault(path, unexpected);
  const result: JsonObject = {};
  let taken: Set<string> | undefined;
  for (const field of message.fields) {
    const key = keyOf(field, value, path);
    if (key === undefined) continue;
    const given = value[key];
    if (given === null || given === undefined) continue;
    if (field.oneof !== undefined) {
      taken ??= new Set();
      if (taken.has(field.oneof)) throw oneofFault(message, field.oneof, [...path, key]);
      taken.add(field.oneof);
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
  throw new DecodeFault([...path, proto], () => `duplicate field "${proto}"`);
}

function oneofFault(message: MessageType, oneof: string, path: readonly Step[]): DecodeFault {
  const key = JSON.stringify(path.at(-1));
  return new DecodeFault(path, () => `error parsing ${key}, oneof ${message.name}.${oneof} is already set`);
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
  const keepsDefault = keep || field.optional;
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
  return new DecodeFault(path, (token) =>
    type === "duration" || type === "timestamp"
      ? `invalid google.protobuf.${type === "duration" ? "Duration" : "Timestamp"} value ${token}`
      : `invalid value for ${type} field ${field.json}: ${token}`,
  );
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
    throw new DecodeFault(path, (token) => `invalid value for enum field ${field.json}: ${token}`);
  }
  if (number === 0 && !keepsDefault) return undefined;
  return type.nameOf.get(number) ?? number;
}
