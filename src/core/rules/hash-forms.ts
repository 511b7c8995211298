import type { Verifier } from "../../contract/verifiers.ts";
import type { HashRule } from "../../problem.ts";
import { BASE64, readForeign } from "./foreign-hashes.ts";
import { impossibleCostOf } from "./hash-costs.ts";

/** The result for the text of a hash: a hash in a form that the service reads, the reason why it is none, or no password. */
export type HashReading =
  | { readonly kind: "good"; readonly text: string; readonly verifier: Verifier }
  | { readonly kind: "bad"; readonly rule: HashRule }
  | { readonly kind: "none" };

/** Base64 whose last character has no bits that stand for nothing: the service refuses another one in argon2. */
const STRICT = "(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]|[A-Za-z0-9+/][AQgw])";
const BCRYPT = /^\$2[aby]\$(?:0[4-9]|[12]\d|3[01])\$[./A-Za-z0-9]{53}$/;

/** Base64 of passlib, with a dot for the plus sign. */
const PASSLIB = BASE64.replaceAll("+", "+.");

/** The forms that the service's verifiers read as they are (service behaviour 4, 0.23), besides bcrypt. */
const nativeForms: readonly (readonly [verifier: Verifier, form: RegExp])[] = [
  ["argon2", new RegExp(`^\\$argon2id?\\$v=19\\$m=\\d+,t=\\d+,p=\\d+\\$${STRICT}\\$${STRICT}$`)],
  ["pbkdf2", new RegExp(`^\\$pbkdf2(-sha(224|256|384|512))?\\$\\d+\\$${PASSLIB}={0,2}\\$${PASSLIB}={0,2}$`)],
  // ln is the logarithm; Ory Kratos writes the number itself, which is never below 64.
  ["scrypt", new RegExp(`^\\$scrypt\\$ln=(?:[1-5]?\\d|6[0-3]),r=\\d+,p=\\d+\\$${BASE64}\\$${BASE64}$`)],
  // Without `rounds=` (/etc/shadow) the service of 2025 cannot check it: the default goes in (foreign-hashes.ts).
  ["sha2", /^\$5\$rounds=\d+\$[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{43}$/],
  ["sha2", /^\$6\$rounds=\d+\$[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{86}$/],
  ["phpass", /^\$[PH]\$[./A-Za-z0-9]{31}$/],
  ["md5", /^\$1\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}$/],
  ["md5salted", /^\$md5salted-(suffix|prefix)\$[^$\s]+\$[A-Za-z0-9+/]{22}==$/],
  ["drupal7", /^\$S\$[./A-Za-z0-9]{52}$/],
  ["md5plain", /^[0-9A-Fa-f]{32}$/],
  ["bcrypt", BCRYPT],
];

/** No system puts more wrappers than this around a hash. */
const MAX_DEPTH = 3;

/**
 * Reads a hash that is not bcrypt: as it is if a verifier of the service reads its form, converted if that loses nothing. undefined
 * for an unknown form.
 */
export function readOtherHash(text: string, depth = 0): HashReading | undefined {
  const native = readNative(text);
  if (native !== undefined) return native;
  const foreign = readForeign(text);
  if (foreign === undefined) return undefined;
  if ("rule" in foreign) return { kind: "bad", rule: foreign.rule };
  if ("none" in foreign) return { kind: "none" };
  return depth < MAX_DEPTH ? readOtherHash(foreign.as, depth + 1) : undefined;
}

/** Reads a hash of a form that the service reads; undefined for another form. */
function readNative(text: string): HashReading | undefined {
  const verifier = nativeForms.find(([, form]) => form.test(text))?.[0];
  if (verifier === undefined) return undefined;
  const rule = impossibleCostOf(text);
  return rule === undefined ? { kind: "good", text, verifier } : { kind: "bad", rule };
}

/** True for MD5 alone, which has no place for a salt. A form that names MD5 itself (`$md5$`) also says where the salt is. */
export function isUnsalted(hash: string): boolean {
  const reading = hash.startsWith("$") ? undefined : readOtherHash(hash);
  return reading?.kind === "good" && reading.verifier === "md5plain";
}

/** What the service needs to check a password hash; "none": no version of it can. */
export type HashKind = Verifier | "none";

/** Later versions of the service check it without its rounds, too (service behaviour 4). */
const PLAIN_SHA2 = /^\$(5\$[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{43}|6\$[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{86})$/;

/** The kind of a hash that is sent as it is, by its whole form (service behaviour 4). */
export function hashKindOf(hash: string): HashKind {
  if (hash.startsWith("$2")) return BCRYPT.test(hash) ? "bcrypt" : "none";
  const native = readNative(hash);
  if (native !== undefined) return native.kind === "good" ? native.verifier : "none";
  return PLAIN_SHA2.test(hash) ? "sha2" : "none";
}
