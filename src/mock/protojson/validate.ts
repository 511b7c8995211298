import { Refusal } from "../http/answer.ts";
import { emailViolation } from "./go-email.ts";
import { isObject, type JsonObject, type JsonValue } from "./json-value.ts";
import type { FieldType, MessageType, Rules } from "./message-table.ts";

/**
 * Checks a decoded message by the service's own rules and refuses the whole call at the FIRST violation, with the nested text
 * whose indexes are the only locator (service behaviour 2.4). Raises Refusal 400 code 3.
 */
export function validate(message: MessageType, value: JsonObject): void {
  const violation = messageViolation(message, value);
  if (violation !== undefined) throw new Refusal("invalidArgument", violation);
}

function messageViolation(message: MessageType, value: JsonObject): string | undefined {
  const empty = new Set<string>();
  for (const field of message.checked) {
    const given = value[field.json];
    const violation = field.repeated ? listViolation(message, field, given) : fieldViolation(message, field, given);
    if (violation !== undefined) return violation;
    if (field.oneofRequired && field.oneof !== undefined) empty.add(field.oneof);
  }
  for (const { oneof, json } of message.fields)
    if (value[json] !== undefined && oneof !== undefined) empty.delete(oneof);
  const [missing] = empty;
  if (missing === undefined) return undefined;
  return `invalid ${message.name}.${missing.charAt(0).toUpperCase()}${missing.slice(1)}: value is required`;
}

function listViolation(message: MessageType, field: FieldType, value: JsonValue | undefined): string | undefined {
  if (!Array.isArray(value)) return undefined;
  const { maxItems } = field.rules;
  if (maxItems !== undefined && value.length > maxItems) {
    return `invalid ${message.name}.${field.go}: value must contain no more than ${maxItems} item(s)`;
  }
  if (field.kind.is !== "message") return undefined;
  for (const [index, element] of value.entries()) {
    const cause = isObject(element) ? messageViolation(field.kind.message, element) : undefined;
    if (cause !== undefined) return embedded(`${message.name}.${field.go}[${index}]`, cause);
  }
  return undefined;
}

function fieldViolation(message: MessageType, field: FieldType, value: JsonValue | undefined): string | undefined {
  const name = `${message.name}.${field.go}`;
  if (field.kind.is === "message") {
    if (!isObject(value)) return field.rules.required === true ? `invalid ${name}: value is required` : undefined;
    const cause = messageViolation(field.kind.message, value);
    return cause === undefined ? undefined : embedded(name, cause);
  }
  // An absent field with presence is not checked; without presence it is its default value.
  if (value === undefined && (field.optional || field.oneof !== undefined || isDuration(field))) return undefined;
  if (field.rules.beTrue === true && value !== true) return `invalid ${name}: value must equal true`;
  const reason =
    field.kind.is === "enum" ? enumReason(field, value) : scalarReason(field.rules, value ?? "", isBytes(field));
  return reason === undefined ? undefined : `invalid ${name}: ${reason}`;
}

function embedded(name: string, cause: string): string {
  return `invalid ${name}: embedded message failed validation | caused by: ${cause}`;
}

function isDuration({ kind }: FieldType): boolean {
  return kind.is === "scalar" && kind.scalar === "duration";
}

function isBytes({ kind }: FieldType): boolean {
  return kind.is === "scalar" && kind.scalar === "bytes";
}

function enumReason({ rules, kind }: FieldType, value: JsonValue | undefined): string | undefined {
  if (kind.is !== "enum") return undefined;
  // A number without a name stays a number when it is decoded.
  if (rules.defined === true && typeof value === "number") return "value must be one of the defined enum values";
  const isZero = value === undefined || kind.enum.numberOf.get(String(value)) === 0;
  return rules.notZero === true && isZero ? "value must not be in list [0]" : undefined;
}

function scalarReason(rules: Rules, value: JsonValue, bytes: boolean): string | undefined {
  if (typeof value !== "string") return undefined;
  if (rules.ignoreEmpty === true && value === "") return undefined;
  return (
    rangeReason(rules.length, () => codePoints(value), "runes") ??
    rangeReason(rules.bytes, () => (bytes ? Buffer.byteLength(value, "base64") : Buffer.byteLength(value)), "bytes") ??
    prefixReason(rules.prefix, value) ??
    (rules.email === true ? emailReason(value) : undefined) ??
    secondsReason(rules.seconds, value)
  );
}

function rangeReason(range: Rules["length"], size: () => number, unit: string): string | undefined {
  if (range === undefined) return undefined;
  const { min, max } = range;
  const actual = size();
  if (actual >= min && actual <= max) return undefined;
  if (min === 0) return `value length must be at most ${max} ${unit}`;
  if (max === Number.POSITIVE_INFINITY) return `value length must be at least ${min} ${unit}`;
  return `value length must be between ${min} and ${max} ${unit}, inclusive`;
}

function prefixReason(prefix: string | undefined, value: string): string | undefined {
  return prefix === undefined || value.startsWith(prefix) ? undefined : `value does not have prefix "${prefix}"`;
}

function emailReason(value: string): string | undefined {
  const cause = emailViolation(value);
  return cause === undefined ? undefined : `value must be a valid email address | caused by: ${cause}`;
}

function secondsReason(range: Rules["seconds"], value: string): string | undefined {
  if (range === undefined) return undefined;
  const seconds = Number.parseFloat(value);
  return seconds >= range.min && seconds <= range.max
    ? undefined
    : `value must be inside range [${range.min}s, ${range.max}s]`;
}

/** Length as Go's utf8.RuneCountInString counts it. */
function codePoints(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length; at += 1) {
    if ((text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) count -= 1;
  }
  return count;
}
