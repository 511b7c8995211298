import type { DescField, DescMessage, DescOneof } from "@bufbuild/protobuf";
import type { FieldRules } from "@zitadel/proto/validate/validate_pb.js";
import { isEmail } from "./email.ts";

/** Reads the rules that a descriptor holds as options. */
export interface RuleReader {
  ruleOf(field: DescField): FieldRules | undefined;
  isRequired(oneof: DescOneof): boolean;
}

/** Returns the first violation in a message, in the words of protoc-gen-validate, or undefined. */
export type Check = (message: object) => string | undefined;

/** Returns why a value breaks a rule, or undefined. */
type Reason = (value: unknown) => string | undefined;

/**
 * Compiles the rules of a message and of all messages in it. The service names the first violation alone, with a nested text
 * whose indexes are the only locator (service behaviour 2.4).
 */
export function createRules(root: DescMessage, reader: RuleReader): Check {
  const known = new Map<DescMessage, Check>();
  const checkOf = (descriptor: DescMessage): Check => {
    const compiled = known.get(descriptor);
    if (compiled !== undefined) return compiled;
    const checks: Check[] = [];
    const check: Check = (message) => firstOf(checks, message);
    // Set before its fields are compiled: a message may hold itself.
    known.set(descriptor, check);
    // In the order in which the service checks them: plain fields, then oneofs, then those with presence (probed on v4).
    const fields = descriptor.fields.toSorted((one, other) => rankOf(one) - rankOf(other));
    checks.push(...fields.map((field) => fieldCheck(field, reader.ruleOf(field), checkOf)));
    checks.push(...descriptor.oneofs.filter(reader.isRequired).map(oneofCheck));
    return check;
  };
  return checkOf(root);
}

function firstOf<Given>(checks: readonly ((given: Given) => string | undefined)[], given: Given): string | undefined {
  for (const check of checks) {
    const violation = check(given);
    if (violation !== undefined) return violation;
  }
  return undefined;
}

function rankOf({ oneof, proto }: DescField): number {
  return oneof !== undefined ? 1 : proto.proto3Optional ? 2 : 0;
}

function oneofCheck(oneof: DescOneof): Check {
  const name = `${messageName(oneof.parent)}.${capitalized(oneof.name)}`;
  return (message) =>
    Reflect.get(message, oneof.localName).case === undefined ? `invalid ${name}: value is required` : undefined;
}

/** Checks a field by its own rule, then the messages in it. */
function fieldCheck(field: DescField, rule: FieldRules | undefined, checkOf: (message: DescMessage) => Check): Check {
  const name = `${messageName(field.parent)}.${goName(field.name)}`;
  const reasonOf = reasonFor(field, rule);
  const isList = field.fieldKind === "list";
  const holds = isList || field.fieldKind === "message" ? field.message : undefined;
  const inner = holds === undefined || holds.typeName === "google.protobuf.Duration" ? undefined : checkOf(holds);
  return (message) => {
    const value = fieldValue(field, message);
    if (value === undefined) {
      return rule?.message?.required === true ? `invalid ${name}: value is required` : undefined;
    }
    const reason = reasonOf(value);
    if (reason !== undefined) return `invalid ${name}: ${reason}`;
    if (inner === undefined) return undefined;
    for (const [index, part] of (isList ? (value as readonly object[]) : [value]).entries()) {
      const cause = inner(part as object); // the value of a message field
      const place = isList ? `${name}[${index}]` : name;
      if (cause !== undefined) return `invalid ${place}: embedded message failed validation | caused by: ${cause}`;
    }
    return undefined;
  };
}

/** undefined for an absent field with presence, otherwise its value or its default value. */
function fieldValue({ oneof, localName }: DescField, message: object): unknown {
  if (oneof === undefined) return Reflect.get(message, localName);
  const member: { case: string | undefined; value?: unknown } = Reflect.get(message, oneof.localName);
  return member.case === localName ? member.value : undefined;
}

function reasonFor(field: DescField, rule: FieldRules | undefined): Reason {
  const type = rule?.type;
  switch (type?.case) {
    case "string": {
      const { minLen, maxLen, minBytes, maxBytes, prefix, wellKnown, ignoreEmpty } = type.value;
      const reasons: Reason[] = [
        rangeReason(minLen, maxLen, { unit: "runes", sizeOf: runes }),
        rangeReason(minBytes, maxBytes, { unit: "bytes", sizeOf: (text) => Buffer.byteLength(String(text)) }),
        (text) => (String(text).startsWith(prefix) ? undefined : `value does not have prefix "${prefix}"`),
        (text) =>
          wellKnown.case !== "email" || isEmail(String(text)) ? undefined : "value must be a valid email address",
      ];
      return (text) => (ignoreEmpty && text === "" ? undefined : firstOf(reasons, text));
    }
    case "bytes":
      return rangeReason(type.value.minLen, type.value.maxLen, {
        unit: "bytes",
        sizeOf: (bytes) => (bytes as Uint8Array).length,
      });
    case "enum": {
      const { definedOnly, notIn } = type.value;
      return (number) => {
        const isDefined = field.enum?.value[Number(number)] !== undefined;
        if (definedOnly && !isDefined) return "value must be one of the defined enum values";
        return notIn.includes(Number(number)) ? `value must not be in list [${notIn.join(" ")}]` : undefined;
      };
    }
    case "bool":
      return (value) => (type.value.const && value !== true ? "value must equal true" : undefined);
    case "repeated": {
      const most = Number(type.value.maxItems) || Number.POSITIVE_INFINITY;
      return (list) =>
        (list as readonly unknown[]).length > most ? `value must contain no more than ${most} item(s)` : undefined;
    }
    case "duration":
      return secondsReason(type.value.gte?.seconds ?? 0n, type.value.lte?.seconds ?? 0n);
    default:
      return () => undefined;
  }
}

/** Limits of a length; 0 stands for no limit. */
function rangeReason(
  min: bigint,
  max: bigint,
  { unit, sizeOf }: { readonly unit: "runes" | "bytes"; readonly sizeOf: (value: unknown) => number },
): Reason {
  if (min === 0n && max === 0n) return () => undefined;
  const [least, most] = [Number(min), max === 0n ? Number.POSITIVE_INFINITY : Number(max)];
  const reason =
    max === 0n
      ? `value length must be at least ${least} ${unit}`
      : min === 0n
        ? `value length must be at most ${most} ${unit}`
        : `value length must be between ${least} and ${most} ${unit}, inclusive`;
  return (value) => {
    const size = sizeOf(value);
    return size >= least && size <= most ? undefined : reason;
  };
}

/** Length in code points. */
function runes(value: unknown): number {
  return [...String(value)].length;
}

function secondsReason(least: bigint, most: bigint): Reason {
  return (value) => {
    const { seconds, nanos } = value as { readonly seconds: bigint; readonly nanos: number };
    const isWithin = seconds >= least && nanos >= 0 && (seconds < most || (seconds === most && nanos === 0));
    return isWithin ? undefined : `value must be inside range [${least}s, ${most}s]`;
  };
}

/** The name of Go's type: `ImportHumanUserRequest_Profile`. */
function messageName({ typeName, file }: DescMessage): string {
  return typeName.slice(file.proto.package.length + 1).replaceAll(".", "_");
}

/** The name of Go's field: `UserName` for `user_name`. */
function goName(name: string): string {
  return capitalized(name.replace(/_([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase()));
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
