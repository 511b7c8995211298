import { pbkdf2, randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import type { Verifier } from "../api.ts";

/** "broken": no verifier reads the hash, or it is malformed (service behaviour 0.7). */
export type PasswordCheck = "right" | "wrong" | "broken";

/** The lowest cost: the mock protects no secrets. */
const COST = 4;
/** bcrypt reads no more bytes; the service refuses to hash longer passwords (service behaviour 0.24). */
const BCRYPT_BYTES = 72;

const prefixes: Readonly<Record<Verifier, RegExp>> = {
  bcrypt: /^\$2/,
  argon2: /^\$argon2(?:id|i)\$/,
  pbkdf2: /^\$pbkdf2[-$]/,
  scrypt: /^\$scrypt\$/,
};

/** Whether an instance verifies this kind of hash. Only the prefix is checked (service behaviour 0.23). */
export function isKnownEncoding(hash: string, verifiers: readonly Verifier[]): boolean {
  return verifierOf(hash, verifiers) !== undefined;
}

function verifierOf(hash: string, verifiers: readonly Verifier[]): Verifier | undefined {
  return verifiers.find((name) => prefixes[name].test(hash));
}

/** Verifies a password. */
export async function verifyPassword(
  password: string,
  hash: string,
  verifiers: readonly Verifier[],
): Promise<PasswordCheck> {
  const name = verifierOf(hash, verifiers);
  if (name === undefined) return "broken";
  try {
    return (await checks[name](password, hash)) ? "right" : "wrong";
  } catch {
    return "broken";
  }
}

const deriveScrypt = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** Each raises when the hash is malformed. */
const checks: Readonly<Record<Verifier, (password: string, hash: string) => Promise<boolean>>> = {
  bcrypt: checkBcrypt,
  async argon2(password, hash) {
    const { argon2Verify } = await import("hash-wasm");
    return argon2Verify({ password, hash });
  },
  async pbkdf2(password, hash) {
    const [, digest = "sha1", rounds = "", salt = "", key = ""] =
      /^\$pbkdf2(?:-(sha\d+))?\$(\d+)\$([^$]+)\$([^$]+)$/.exec(hash) ?? [];
    const expected = bytesOf(key);
    const derived = await promisify(pbkdf2)(password, bytesOf(salt), Number(rounds), expected.length, digest);
    return timingSafeEqual(derived, expected);
  },
  async scrypt(password, hash) {
    const [, ln = "", r = "", p = "", salt = "", key = ""] =
      /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(hash) ?? [];
    const expected = bytesOf(key);
    const costs = { N: 2 ** Number(ln), r: Number(r), p: Number(p) };
    const maxmem = 256 * costs.N * costs.r;
    const derived = await deriveScrypt(password, bytesOf(salt), expected.length, { ...costs, maxmem });
    return timingSafeEqual(derived, expected);
  },
};

/** Go's library treats all minor versions alike, and reads the first 72 bytes of a password. */
async function checkBcrypt(password: string, hash: string): Promise<boolean> {
  const [, rest] = /^\$2[a-z]?(\$\d\d\$[./A-Za-z0-9]{53,})$/.exec(hash) ?? [];
  if (rest === undefined) throw new Error("malformed");
  if (rest.length > 57) return false; // a longer hash never matches
  const { bcryptVerify } = await import("hash-wasm");
  return bcryptVerify({ password: bcryptBytes(password), hash: `$2a${rest}` });
}

/** bcrypt appends a zero byte and repeats, so an empty password equals one zero byte. The library refuses an empty one. */
function bcryptBytes(password: string): Buffer {
  return password === "" ? Buffer.of(0) : Buffer.from(password).subarray(0, BCRYPT_BYTES);
}

/** Base64 with `.` or `+`, padded or not. Raises for an empty text. */
function bytesOf(text: string): Buffer {
  const bytes = Buffer.from(text.replaceAll(".", "+"), "base64");
  if (bytes.length === 0) throw new Error("malformed");
  return bytes;
}

/** Whether a verified hash is replaced by one of the instance (service behaviour 0.28). */
export function needsNewHash(hash: string): boolean {
  return !/^\$2[a-z]?\$04\$/.test(hash);
}

/** The error for a password that is too long to hash. */
export const TOO_LONG = "bcrypt: password length exceeds 72 bytes";

/** Whether the instance can hash a password. */
export function isHashable(password: string): boolean {
  return Buffer.byteLength(password) <= BCRYPT_BYTES;
}

/** Hashes a plain password. */
export async function hashPassword(password: string): Promise<string> {
  const { bcrypt } = await import("hash-wasm");
  return bcrypt({ password: bcryptBytes(password), salt: randomBytes(16), costFactor: COST, outputType: "encoded" });
}
