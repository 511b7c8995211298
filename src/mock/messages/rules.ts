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

/** Reads a field; undefined for an absent one with presence, otherwise its default value. */
type Read = (message: object) => unknown;

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
    // Set before its fields are compiled: a message may hold itself.
    known.set(descriptor, (message) => firstOf(checks, message));
    // In the order in which the service checks them: plain fields, then oneofs, then those with presence (probed on v4).
    const fields = descriptor.fields.toSorted((one, other) => rankOf(one) - rankOf(other));
    checks.push(...fields.flatMap((field) => fieldCheck(field, reader.ruleOf(field), checkOf)));
    checks.push(...descriptor.oneofs.filter(reader.isRequired).map(oneofCheck));
    return (message) => firstOf(checks, message);
  };
  return checkOf(root);
}

function firstOf(checks: readonly Check[], message: object): string | undefined {
  for (const check of checks) {
    const violation = check(message);
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

function fieldCheck(
  field: DescField,
  rule: FieldRules | undefined,
  checkOf: (message: DescMessage) => Check,
): readonly Check[] {
  const name = `${messageName(field.parent)}.${goName(field.name)}`;
  const read = getter(field);
  if (field.fieldKind === "list") {
    const most = rule?.type.case === "repeated" ? Number(rule.type.value.maxItems) : 0;
    const limit = most === 0 ? [] : [listCheck(name, read, most)];
    return field.message === undefined ? limit : [...limit, elementsCheck(name, read, checkOf(field.message))];
  }
  if (field.fieldKind === "message" && field.message.typeName === "google.protobuf.Duration") {
    return [reasonCheck(name, read, secondsReason(rule))];
  }
  if (field.fieldKind === "message") {
    return [messageCheck(name, read, { inner: checkOf(field.message), isRequired: rule?.message?.required === true })];
  }
  return rule === undefined ? [] : [reasonCheck(name, read, scalarReason(field, rule))];
}

function getter({ oneof, localName }: DescField): Read {
  if (oneof === undefined) return (message) => Reflect.get(message, localName);
  return (message) => {
    const member: { case: string | undefined; value?: unknown } = Reflect.get(message, oneof.localName);
    return member.case === localName ? member.value : undefined;
  };
}

function reasonCheck(name: string, read: Read, reasonOf: Reason): Check {
  return (message) => {
    const value = read(message);
    const reason = value === undefined ? undefined : reasonOf(value);
    return reason === undefined ? undefined : `invalid ${name}: ${reason}`;
  };
}

function messageCheck(
  name: string,
  read: Read,
  { inner, isRequired }: { readonly inner: Check; readonly isRequired: boolean },
): Check {
  return (message) => {
    const value = read(message);
    if (value === undefined) return isRequired ? `invalid ${name}: value is required` : undefined;
    return embedded(name, inner(value as object)); // the value of a message field
  };
}

function listCheck(name: string, read: Read, most: number): Check {
  return (message) =>
    (read(message) as readonly unknown[]).length > most
      ? `invalid ${name}: value must contain no more than ${most} item(s)`
      : undefined;
}

function elementsCheck(name: string, read: Read, inner: Check): Check {
  return (message) => {
    for (const [index, element] of (read(message) as readonly object[]).entries()) {
      const violation = embedded(`${name}[${index}]`, inner(element));
      if (violation !== undefined) return violation;
    }
    return undefined;
  };
}

function embedded(name: string, cause: string | undefined): string | undefined {
  return cause === undefined ? undefined : `invalid ${name}: embedded message failed validation | caused by: ${cause}`;
}

function scalarReason(field: DescField, { type }: FieldRules): Reason {
  switch (type.case) {
    case "string": {
      const { minLen, maxLen, minBytes, maxBytes, prefix, wellKnown, ignoreEmpty } = type.value;
      const reasons: Reason[] = [
        rangeReason(minLen, maxLen, { unit: "runes", sizeOf: runes }),
        rangeReason(minBytes, maxBytes, { unit: "bytes", sizeOf: (text) => Buffer.byteLength(String(text)) }),
        (text) => (String(text).startsWith(prefix) ? undefined : `value does not have prefix "${prefix}"`),
        (text) =>
          wellKnown.case !== "email" || isEmail(String(text)) ? undefined : "value must be a valid email address",
      ];
      return (text) => (ignoreEmpty && text === "" ? undefined : firstReason(reasons, text));
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
    default:
      return () => undefined;
  }
}

function firstReason(reasons: readonly Reason[], value: unknown): string | undefined {
  for (const reasonOf of reasons) {
    const reason = reasonOf(value);
    if (reason !== undefined) return reason;
  }
  return undefined;
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

function secondsReason(rule: FieldRules | undefined): Reason {
  if (rule?.type.case !== "duration") return () => undefined;
  const [least, most] = [rule.type.value.gte?.seconds ?? 0n, rule.type.value.lte?.seconds ?? 0n];
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
