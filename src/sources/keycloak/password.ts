import type { RowFault } from "../../problem.ts";
import type { Credential } from "./credential.ts";

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
/** The versions of argon2 by what they are called, and the number that encoded hashes have for them. */
const ARGON2_VERSIONS: Readonly<Record<string, number>> = { "1.3": 0x13, "1.0": 0x10 };

/**
 * The hash of a password in modular crypt format, as the service reads it where it can be read at all; whether it can is the core's
 * to say. undefined with a fault where something of it is missing. Every form was proved by signing in to a running service.
 */
export function toHash(
  { secret, secretField, valueField, data, dataField }: Credential,
  faults: RowFault[],
): string | undefined {
  const read = new FieldReader(faults);
  const algorithm = read.text(data["algorithm"], `${dataField}.algorithm`);
  const value = read.text(secret["value"], valueField);
  if (algorithm === undefined || value === undefined) return undefined;
  // Hashers that were added to a server, such as bcrypt's, store the whole of it.
  if (value.startsWith("$")) return value;
  const salt = read.base64(secret["salt"], `${secretField}.salt`);
  const hash = read.base64(value, valueField);
  const rounds = read.count(data["hashIterations"], `${dataField}.hashIterations`);
  if (salt === undefined || hash === undefined || rounds === undefined) return undefined;
  if (algorithm !== "argon2") return `$${algorithm}$${rounds}$${salt}$${hash}`;
  const head = argon2Head(data["additionalParameters"], rounds, `${dataField}.additionalParameters`, read);
  return head === undefined ? undefined : `${head}$${salt}$${hash}`;
}

/** The parameters of argon2 come as lists of one text. */
function argon2Head(parameters: unknown, rounds: number, field: string, read: FieldReader): string | undefined {
  const of = (name: string): unknown => {
    const given = typeof parameters === "object" && parameters !== null ? Reflect.get(parameters, name) : undefined;
    return Array.isArray(given) ? given[0] : given;
  };
  const type = read.oneOf(of("type"), ["id", "i", "d"], `${field}.type`);
  const version = read.oneOf(of("version"), Object.keys(ARGON2_VERSIONS), `${field}.version`);
  const memory = read.count(of("memory"), `${field}.memory`);
  const lanes = read.count(of("parallelism"), `${field}.parallelism`);
  if (type === undefined || version === undefined || memory === undefined || lanes === undefined) return undefined;
  return `$argon2${type}$v=${ARGON2_VERSIONS[version]}$m=${memory},t=${rounds},p=${lanes}`;
}

/** Reads values of one kind, and adds the faults of others. */
class FieldReader {
  readonly #faults: RowFault[];

  constructor(faults: RowFault[]) {
    this.#faults = faults;
  }

  text(value: unknown, field: string): string | undefined {
    if (typeof value === "string" && value !== "") return value;
    return this.#fault(value, field, "a string");
  }

  /** Without the padding, which argon2's verifier refuses. */
  base64(value: unknown, field: string): string | undefined {
    if (typeof value === "string" && BASE64.test(value)) return value.replace(/=+$/, "");
    return this.#fault(value, field, "base64");
  }

  count(value: unknown, field: string): number | undefined {
    const number = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
    if (typeof number === "number" && Number.isSafeInteger(number) && number > 0) return number;
    return this.#fault(value, field, "a whole number above 0");
  }

  oneOf(value: unknown, known: readonly string[], field: string): string | undefined {
    return known.find((one) => one === value) ?? this.#fault(value, field, known.join(" or "));
  }

  #fault(value: unknown, field: string, expected: string): undefined {
    const isMissing = value === undefined || value === null || value === "";
    this.#faults.push(isMissing ? { code: "field.missing", field } : { code: "field.type", field, expected });
  }
}
