import type { HashRule } from "../../problem.ts";
import { bytesOfText, type Foreign, keyOf, md5, md5Salted, pbkdf2, scrypt } from "./foreign-hashes.ts";

/** A hash whose kind, salt or cost the source keeps in fields of their own. */
export interface HashParts {
  readonly hash: string;
  /** As it stands in its field, with blanks around it. */
  readonly salt?: string | undefined;
  /** true: the salt has blanks around it, which may belong to the form of the input. */
  readonly isPadded?: boolean;
  /** How often the function was applied; bcrypt's cost. */
  readonly iterations?: string | undefined;
}

/** A hash as one text that says everything by itself, ready to be judged; or why there is none. */
export type KindedHash = { readonly hash: string } | { readonly refused: HashRule };

type Compose = (parts: HashParts) => Foreign;

/** The form of the hash says everything else. */
const byForm: Compose = ({ hash }) => ({ as: hash });

/** A kind whose hashes are a key alone. The form of any other text, such as `$2b$…`, says what it is. */
function ofKey(key: RegExp, compose: Compose): Compose {
  return (parts) => (key.test(parts.hash) ? compose(parts) : byForm(parts));
}

/** Hexadecimal or base64. */
const KEY = /^[\w+/-]+={0,2}$/;
const MD5_KEY = /^(?:[0-9a-f]{32}|[\w+/-]{22}={0,2})$/i;

/** How a salt in a field of its own is written: Node's name of the encoding, and what the text looks like. */
const saltTexts = {
  text: ["utf8", /./s],
  base64: ["base64", /^[\w+/-]+={0,2}$/],
  hex: ["hex", /^([0-9a-f]{2})+$/i],
} as const;

/** The salt is in a field of its own; the key is hexadecimal or base64. */
function saltedPbkdf2(digest: string, saltText: keyof typeof saltTexts, usualIterations = ""): Compose {
  const [encoding, form] = saltTexts[saltText];
  return ofKey(KEY, ({ hash, salt: given = "", isPadded, iterations = usualIterations }) => {
    const salt = saltText === "text" ? given : given.trim();
    if (!form.test(salt) || !/^\d+$/.test(iterations)) return { rule: "salt" };
    if (saltText === "text" && isPadded === true) return { rule: "salt-blanks" };
    return pbkdf2(digest, iterations, Buffer.from(salt, encoding), keyOf(hash));
  });
}

/** The salt is in the text of the hash. In a field of its own, it could be written in several ways. */
const pbkdf2ByForm: Compose = (parts) =>
  parts.salt !== undefined && !parts.hash.includes("$") ? { rule: "salt-place" } : byForm(parts);

/** Clerk: salt and key in base64, where Django has the same text with a salt that is none. */
const clerkPbkdf2Sha256: Compose = (parts) => {
  const [, iterations = "", salt = "", key = ""] = /^pbkdf2_sha256\$(\d+)\$([^$]+)\$([^$]+)$/.exec(parts.hash) ?? [];
  return iterations === ""
    ? pbkdf2ByForm(parts)
    : pbkdf2("sha256", iterations, Buffer.from(salt, "base64"), Buffer.from(key, "base64"));
};

/** FusionAuth keeps salt and key of a bcrypt hash apart; other systems keep them together. */
const bcrypt: Compose = ({ hash, salt: given = "", iterations = "" }) => {
  const salt = given.trim();
  const isApart = hash.length === 31 && salt.length === 22;
  return { as: isApart ? `$2a$${iterations.padStart(2, "0")}$${salt}${hash}` : hash };
};

function saltedMd5(place: "prefix" | "suffix"): Compose {
  return ofKey(MD5_KEY, ({ hash, salt, isPadded }) => {
    if (salt === undefined) return { rule: "salt" };
    return isPadded === true ? { rule: "salt-blanks" } : md5Salted(place, salt, keyOf(hash));
  });
}

const betterAuth: Compose = ({ hash }) => {
  const [, salt, key] = /^([0-9a-f]+):([0-9a-f]{128})$/i.exec(hash) ?? [];
  return salt === undefined || key === undefined
    ? { as: hash }
    : scrypt(16_384, 16, 1, bytesOfText(salt), Buffer.from(key, "hex"));
};

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
  pbkdf2: pbkdf2ByForm,
  pbkdf2_sha256_django: byForm,
  phpass: byForm,
  scrypt: byForm,
  scrypt_werkzeug: byForm,
  sha256_crypt: byForm,
  sha512_crypt: byForm,
  werkzeug: byForm,
  bcrypt,
  better_auth: betterAuth,
  md5: ofKey(MD5_KEY, ({ hash, salt }) => (salt === undefined ? md5(keyOf(hash)) : { rule: "salt-place" })),
  md5_salt_prefix: saltedMd5("prefix"),
  md5_salt_suffix: saltedMd5("suffix"),
  // Its salt is hexadecimal, and used as that text.
  passport_local_mongoose: saltedPbkdf2("sha256", "text", "25000"),
  // Clerk: the salt is a text and the key hexadecimal, which the form of Django's has room for.
  pbkdf2_sha1: pbkdf2ByForm,
  pbkdf2_sha256: clerkPbkdf2Sha256,
  pbkdf2_sha512: pbkdf2ByForm,
  pbkdf2_sha512_hex: byForm,
  pbkdf2_sha1_salt_text: saltedPbkdf2("sha1", "text"),
  pbkdf2_sha1_salt_base64: saltedPbkdf2("sha1", "base64"),
  pbkdf2_sha1_salt_hex: saltedPbkdf2("sha1", "hex"),
  pbkdf2_sha256_salt_text: saltedPbkdf2("sha256", "text"),
  pbkdf2_sha256_salt_base64: saltedPbkdf2("sha256", "base64"),
  pbkdf2_sha256_salt_hex: saltedPbkdf2("sha256", "hex"),
  pbkdf2_sha512_salt_text: saltedPbkdf2("sha512", "text"),
  pbkdf2_sha512_salt_base64: saltedPbkdf2("sha512", "base64"),
  pbkdf2_sha512_salt_hex: saltedPbkdf2("sha512", "hex"),
  salted_md5: ofKey(MD5_KEY, (parts) =>
    Number(parts.iterations ?? 1) === 1 ? saltedMd5("suffix")(parts) : { rule: "not-convertible" },
  ),
  salted_pbkdf2_hmac_sha256: saltedPbkdf2("sha256", "base64"),
  salted_pbkdf2_hmac_sha256_512: saltedPbkdf2("sha256", "base64"),
  salted_pbkdf2_hmac_sha512_512: saltedPbkdf2("sha512", "base64"),
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
