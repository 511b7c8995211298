import { isObject, type JsonValue } from "./json-value.ts";
import type { Scalar } from "./message-table.ts";

/** A scalar in the form the service answers with, and whether it is the default, which is left out. */
export interface DecodedScalar {
  readonly value: JsonValue;
  readonly isDefault: boolean;
}

/** Reads one scalar as protojson does; undefined when the JSON type or the text does not fit. */
export function decodeScalar(scalar: Scalar, value: JsonValue): DecodedScalar | undefined {
  switch (scalar) {
    case "string":
      return typeof value === "string" ? { value, isDefault: value === "" } : undefined;
    case "bool":
      return typeof value === "boolean" ? { value, isDefault: !value } : undefined;
    case "uint32":
      return decodeInteger(value, 32);
    case "uint64":
      return decodeInteger(value, 64);
    case "bytes":
      return typeof value === "string" ? decodeBytes(value) : undefined;
    case "duration":
      return typeof value === "string" ? decodeDuration(value) : undefined;
    case "timestamp":
      return typeof value === "string" ? decodeTimestamp(value) : undefined;
    case "struct":
      return isObject(value) ? { value, isDefault: false } : undefined;
    default:
      return scalar satisfies never;
  }
}

/** 64 bits are answered as strings (service behaviour 1); both are read from numbers and from strings. */
function decodeInteger(value: JsonValue, bits: 32 | 64): DecodedScalar | undefined {
  const text = String(value);
  if ((typeof value !== "number" && typeof value !== "string") || !/^\d+$/.test(text)) return undefined;
  const number = BigInt(text);
  if (number >= 1n << BigInt(bits)) return undefined;
  return { value: bits === 64 ? number.toString() : Number(number), isDefault: number === 0n };
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Standard or URL alphabet, padded or not; answered as padded standard base64. */
function decodeBytes(text: string): DecodedScalar | undefined {
  const standard = text.replaceAll("-", "+").replaceAll("_", "/");
  const bare = standard.replace(/=+$/, "");
  if (!BASE64.test(standard) || bare.length % 4 === 1) return undefined;
  if (standard.length !== bare.length && standard.length % 4 !== 0) return undefined;
  return { value: Buffer.from(bare, "base64").toString("base64"), isDefault: bare === "" };
}

/** Fractions are answered with 3, 6 or 9 digits. A duration is a message: zero is kept. */
function decodeDuration(text: string): DecodedScalar | undefined {
  const [, sign, seconds, fraction = ""] = /^(-?)(\d{1,12})(?:\.(\d{1,9}))?s$/.exec(text) ?? [];
  if (seconds === undefined) return undefined;
  return { value: `${sign}${BigInt(seconds)}${fractionOf(fraction)}s`, isDefault: false };
}

const RFC3339 = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;

function decodeTimestamp(text: string): DecodedScalar | undefined {
  const [, date, time, fraction = "", zone] = RFC3339.exec(text) ?? [];
  const at = new Date(`${date}T${time}${zone}`);
  if (date === undefined || Number.isNaN(at.getTime())) return undefined;
  return { value: `${at.toISOString().slice(0, 19)}${fractionOf(fraction)}Z`, isDefault: false };
}

function fractionOf(digits: string): string {
  const nanos = digits.padEnd(9, "0");
  if (/^0*$/.test(nanos)) return "";
  return `.${nanos.replace(/(?:000){1,2}$/, "")}`;
}
