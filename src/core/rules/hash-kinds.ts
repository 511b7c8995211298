import type { HashRule } from "../../problem.ts";
import { bytesOfText, type Foreign, md5, md5Salted, pbkdf2, scrypt } from "./foreign-hashes.ts";

/** A hash whose kind, salt or cost the source keeps in fields of their own. */
export interface HashParts {
  readonly hash: string;
  readonly salt?: string | undefined;
  /** How often the function was applied; bcrypt's cost. */
  readonly iterations?: string | undefined;
}

/** A hash as one text that says everything by itself, ready to be judged; or why there is none. */
export type KindedHash = { readonly hash: string } | { readonly refused: HashRule };

type Compose = (parts: HashParts) => Foreign;

/** The form of the hash says everything else. */
const byForm: Compose = ({ hash }) => ({ as: hash });

/** FusionAuth: salt and key in base64. */
function fusionPbkdf2(digest: string): Compose {
  return ({ hash, salt, iterations }) =>
    salt === undefined || iterations === undefined
      ? { rule: "salt" }
      : pbkdf2(digest, iterations, Buffer.from(salt, "base64"), Buffer.from(hash, "base64"));
}

/** Clerk: salt and key in base64, where Django has the same text with a salt that is none. */
const clerkPbkdf2Sha256: Compose = ({ hash }) => {
  const [, iterations = "", salt = "", key = ""] = /^pbkdf2_sha256\$(\d+)\$([^$]+)\$([^$]+)$/.exec(hash) ?? [];
  return iterations === ""
    ? { as: hash }
    : pbkdf2("sha256", iterations, Buffer.from(salt, "base64"), Buffer.from(key, "base64"));
};

/** FusionAuth keeps salt and key of a bcrypt hash apart; other systems keep them together. */
const bcrypt: Compose = ({ hash, salt = "", iterations = "" }) => {
  const isApart = hash.length === 31 && salt.length === 22;
  return { as: isApart ? `$2a$${iterations.padStart(2, "0")}$${salt}${hash}` : hash };
};

function md5Bytes(hash: string): Buffer {
  return Buffer.from(hash, /^[0-9a-f]{32}$/i.test(hash) ? "hex" : "base64");
}

function saltedMd5(place: "prefix" | "suffix"): Compose {
  return ({ hash, salt }) => (salt === undefined ? { rule: "salt" } : md5Salted(place, salt, md5Bytes(hash)));
}

const betterAuth: Compose = ({ hash }) => {
  const [, salt, key] = /^([0-9a-f]+):([0-9a-f]{128})$/i.exec(hash) ?? [];
  return salt === undefined || key === undefined
    ? { as: hash }
    : scrypt(16_384, 16, 1, bytesOfText(salt), Buffer.from(key, "hex"));
};

/** Salt and key are hexadecimal; the salt is used as that text. */
const passportLocalMongoose: Compose = ({ hash, salt, iterations = "25000" }) =>
  salt === undefined ? { rule: "salt" } : pbkdf2("sha256", iterations, bytesOfText(salt), Buffer.from(hash, "hex"));

/** Kinds by their names in small letters with `_`: those of Clerk, Logto and FusionAuth, and those that a form alone does not tell. */
const kinds: Readonly<Record<string, Compose>> = {
  auto: byForm,
  argon2: byForm,
  argon2i: byForm,
  argon2id: byForm,
  aspnet_identity: byForm,
  django: byForm,
  legacy: byForm,
  md5_crypt: byForm,
  md5_phpass: byForm,
  pbkdf2: byForm,
  pbkdf2_sha256_django: byForm,
  phpass: byForm,
  scrypt: byForm,
  scrypt_werkzeug: byForm,
  sha256_crypt: byForm,
  sha512_crypt: byForm,
  werkzeug: byForm,
  bcrypt,
  better_auth: betterAuth,
  md5: ({ hash, salt }) => (salt === undefined ? md5(md5Bytes(hash)) : { rule: "salt-place" }),
  md5_salt_prefix: saltedMd5("prefix"),
  md5_salt_suffix: saltedMd5("suffix"),
  passport_local_mongoose: passportLocalMongoose,
  // Clerk: the salt is a text and the key hexadecimal, which the form of Django's has room for.
  pbkdf2_sha1: byForm,
  pbkdf2_sha256: clerkPbkdf2Sha256,
  pbkdf2_sha512: byForm,
  pbkdf2_sha512_hex: byForm,
  salted_md5: (parts) =>
    Number(parts.iterations ?? 1) === 1 ? saltedMd5("suffix")(parts) : { rule: "not-convertible" },
  salted_pbkdf2_hmac_sha256: fusionPbkdf2("sha256"),
  salted_pbkdf2_hmac_sha256_512: fusionPbkdf2("sha256"),
  salted_pbkdf2_hmac_sha512_512: fusionPbkdf2("sha512"),
};

/** Kinds for which the service has no verifier, in any form. */
const refusedKinds: Readonly<Record<string, HashRule>> = {
  argon2d: "argon2d",
  awscognito: "not-convertible",
  bcrypt_peppered: "keyed",
  bcrypt_sha256: "pre-hashed",
  bcrypt_sha256_django: "pre-hashed",
  firebase_scrypt: "firebase-scrypt",
  hmac_sha256_utf16_b64: "keyed",
  ldap_ssha: "sha",
  md5_salted: "salt-place",
  ntlm: "ntlm",
  phpass_md5: "not-convertible",
  phpass_sha512: "not-convertible",
  salted_hmac_sha256: "keyed",
  salted_sha256: "sha",
  scrypt_firebase: "firebase-scrypt",
  sha1: "sha",
  sha256: "sha",
  sha256_salted: "sha",
  sha512: "sha",
  sha512_symfony: "sha",
};

/** The names of kinds that can be taken over, for messages. */
export const hashKinds: readonly string[] = Object.keys(kinds);

/** True for a kind that is known, also where it cannot be taken over. */
export function isHashKind(name: string): boolean {
  return Object.hasOwn(kinds, tableName(name)) || Object.hasOwn(refusedKinds, tableName(name));
}

/** Puts a hash of a kind that has a name together with what else the source keeps of it. */
export function hashOfKind(kind: string, parts: HashParts): KindedHash {
  const name = tableName(kind);
  const compose = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
  if (compose === undefined) {
    return { refused: (Object.hasOwn(refusedKinds, name) ? refusedKinds[name] : undefined) ?? "unknown-name" };
  }
  const composed = compose(parts);
  if ("rule" in composed) return { refused: composed.rule };
  return { hash: "as" in composed ? composed.as : parts.hash };
}

/** The name as the tables have it. */
function tableName(name: string): string {
  if (Object.hasOwn(kinds, name)) return name;
  return name
    .trim()
    .toLowerCase()
    .replace(/[-.\s]+/g, "_");
}
