import type { HashRule } from "../../problem.ts";
import { parsedJson } from "../json/members.ts";

// Hashes as other systems write them, in the form that the service reads. Salt and key are copied bit by bit, so
// that the service computes what the other system computed. fixtures/hashes holds a hash for each conversion, made by the library of
// that system; test/real signs in with it.

/** The reading of a form of another system. */
export type Foreign =
  /** Another form, closer to one that the service reads. */
  | { readonly as: string }
  /** No verifier of the service ever computes it. */
  | { readonly rule: HashRule }
  /** It says that there is no password. */
  | { readonly none: true };

type Convert = (match: readonly string[]) => Foreign | undefined;

interface Form {
  readonly form: RegExp;
  readonly read: Convert | HashRule;
}

/** Base64 without padding. One character more than a multiple of four is a cut-off text. */
export const BASE64 = "(?:[A-Za-z0-9+/]{4})*[A-Za-z0-9+/]{2,4}";
const PADDED = `${BASE64}={0,2}`;
const PRINTABLE = /^[\x21-\x23\x25-\x7e]+$/;

/** How the service names PBKDF2 with a digest. */
const PBKDF2: Readonly<Record<string, string>> = {
  sha1: "$pbkdf2",
  sha224: "$pbkdf2-sha224",
  sha256: "$pbkdf2-sha256",
  sha384: "$pbkdf2-sha384",
  sha512: "$pbkdf2-sha512",
};

export function bytesOfText(text: string): Buffer {
  return Buffer.from(text);
}

/** base64 without padding, as the service's forms have it. */
function b64(bytes: Buffer): string {
  return bytes.toString("base64").replace(/=+$/, "");
}

export function pbkdf2(digest: string, iterations: string | number, salt: Buffer, key: Buffer): Foreign {
  const name = PBKDF2[digest.toLowerCase()];
  if (name === undefined) return { rule: "not-convertible" };
  if (key.length === 0) return { rule: "damaged" };
  return { as: `${name}$${Number(iterations)}$${b64(salt)}$${b64(key)}` };
}

/** @param n the cost, a power of two. */
export function scrypt(n: number, r: string | number, p: string | number, salt: Buffer, key: Buffer): Foreign {
  const ln = Math.log2(n);
  if (!Number.isInteger(ln)) return { rule: "scrypt-ln" };
  return { as: `$scrypt$ln=${ln},r=${r},p=${p}$${b64(salt)}$${b64(key)}` };
}

/** The service's form holds the salt as a text in which no dollar sign and no blank may stand. */
export function md5Salted(place: "prefix" | "suffix", salt: string, key: Buffer): Foreign {
  if (salt === "") return md5(key);
  if (!PRINTABLE.test(salt)) return { rule: "salt" };
  if (key.length !== 16) return { rule: "damaged" };
  return { as: `$md5salted-${place}$${salt}$${key.toString("base64")}` };
}

export function md5(key: Buffer): Foreign {
  return key.length === 16 ? { as: key.toString("hex") } : { rule: "damaged" };
}

/** A key that is written as hexadecimal digits or as base64; empty if it is neither. */
export function keyOf(text: string): Buffer {
  if (/^([0-9A-Fa-f]{2}){16,}$/.test(text)) return Buffer.from(text, "hex");
  return Buffer.from(/^[\w+/-]+={0,2}$/.test(text) ? text : "", "base64");
}

const dollarForms: readonly Form[] = [
  // glibc's default where no rounds are named.
  { form: /^\$([56])\$([./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{43,86})$/, read: ([, id, rest]) => sha2(id, rest) },
  { form: /^\$argon2d\$/, read: "argon2d" },
  // Without a version it is the first one, too.
  { form: /^\$argon2id?\$(?:v=(?!19\$)\d+\$)?m=/, read: "argon2-version" },
  {
    form: new RegExp(`^(?=.*=(?:\\$|$))(\\$argon2id?\\$v=19\\$m=\\d+,t=\\d+,p=\\d+)\\$(${PADDED})\\$(${PADDED})$`),
    read: ([, head, salt = "", key = ""]) => ({ as: `${head}$${unpadded(salt)}$${unpadded(key)}` }),
  },
  // Ory Kratos.
  {
    form: new RegExp(`^\\$pbkdf2-(sha\\d+)\\$i=(\\d+),l=\\d+\\$(${PADDED})\\$(${PADDED})$`),
    read: ([, digest = "", iterations = "", salt = "", key = ""]) =>
      pbkdf2(digest, iterations, Buffer.from(salt, "base64"), Buffer.from(key, "base64")),
  },
  {
    form: new RegExp(`^\\$scrypt\\$ln=(\\d+),r=(\\d+),p=(\\d+)\\$(${PADDED})\\$(${PADDED})$`),
    read: ([, cost = "", r = "", p = "", salt = "", key = ""]) =>
      scrypt(
        Number(cost) < 64 ? 2 ** Number(cost) : Number(cost),
        r,
        p,
        Buffer.from(salt, "base64"),
        Buffer.from(key, "base64"),
      ),
  },
  { form: new RegExp(`^\\$md5\\$(${PADDED})$`), read: ([, key = ""]) => md5(Buffer.from(key, "base64")) },
  {
    form: new RegExp(`^\\$md5\\$pf=(${PADDED})\\$(${PADDED})\\$(${PADDED})$`),
    read: ([, pattern = "", salt = "", key = ""]) => kratosMd5(pattern, salt, key),
  },
  { form: /^\$md5-crypt(\$.*)$/, read: ([, rest]) => ({ as: `$1${rest}` }) },
  { form: /^\$sha256-crypt(\$.*)$/, read: ([, rest]) => ({ as: `$5${rest}` }) },
  { form: /^\$sha512-crypt(\$.*)$/, read: ([, rest]) => ({ as: `$6${rest}` }) },
  { form: /^\$hmac-/, read: "keyed" },
  { form: /^\$sha(1|256|512)\$/, read: "sha" },
  // Supabase, SuperTokens, Kratos: users who came from Firebase.
  { form: /^\$(fbscrypt|f_scrypt|firescrypt|firebasescrypt)\$/, read: "firebase-scrypt" },
  { form: /^\$(wp\$2|bcrypt-sha256\$)/, read: "pre-hashed" },
  { form: /^\$apr1\$/, read: "apr1" },
  // No form of their kind fits.
  {
    form: /^\$(argon2id?|pbkdf2(-sha(1|224|256|384|512))?|scrypt|md5salted-(suffix|prefix)|[156PHS])\$/,
    read: "damaged",
  },
  { form: /^\$(?!2)[^$]+\$/, read: "unknown-kind" },
];

const otherForms: readonly Form[] = [
  { form: /^\{([\w.-]+)\}(.*)$/s, read: ([, scheme = "", rest = ""]) => readScheme(scheme, rest) },
  { form: /^(!|\*+$)/, read: () => ({ none: true }) }, // Django, /etc/shadow: no usable password
  // Django.
  { form: /^argon2(\$argon2.*)$/, read: ([, rest = ""]) => ({ as: rest }) },
  { form: /^bcrypt\$(\$2.*)$/, read: ([, rest = ""]) => ({ as: rest }) },
  { form: /^bcrypt_sha256\$/, read: "pre-hashed" },
  {
    form: new RegExp(`^pbkdf2_(sha\\d+)\\$(\\d+)\\$([^$]+)\\$(${PADDED})$`),
    read: ([, digest = "", iterations = "", salt = "", key = ""]) =>
      pbkdf2(digest, iterations, bytesOfText(salt), keyOf(key)),
  },
  {
    form: new RegExp(`^scrypt\\$(\\d+)\\$([^$]+)\\$(\\d+)\\$(\\d+)\\$(${PADDED})$`),
    read: ([, n = "", salt = "", r = "", p = "", key = ""]) =>
      scrypt(Number(n), r, p, bytesOfText(salt), Buffer.from(key, "base64")),
  },
  {
    form: /^md5\$([^$]*)\$([0-9a-f]{32})$/i,
    read: ([, salt = "", key = ""]) => md5Salted("prefix", salt, Buffer.from(key, "hex")),
  },
  { form: /^(unsalted_)?sha(1|256|512)\$/, read: "sha" },
  // Werkzeug, Flask.
  {
    form: /^pbkdf2:(sha\d+):(\d+)\$([^$]+)\$([0-9a-f]+)$/,
    read: ([, digest = "", iterations = "", salt = "", key = ""]) =>
      pbkdf2(digest, iterations, bytesOfText(salt), Buffer.from(key, "hex")),
  },
  {
    form: /^scrypt:(\d+):(\d+):(\d+)\$([^$]+)\$([0-9a-f]+)$/,
    read: ([, n = "", r = "", p = "", salt = "", key = ""]) =>
      scrypt(Number(n), r, p, bytesOfText(salt), Buffer.from(key, "hex")),
  },
  // ASP.NET Identity.
  {
    form: /^A[A-Za-z0-9+/]{65}==$|^AQ[A-Za-z0-9+/]{38,}={0,2}$/,
    read: ([all = ""]) => aspNet(Buffer.from(all, "base64")),
  },
  // Logto, of users who were imported into it.
  { form: /^\[".*\]$/s, read: ([all = ""]) => logtoLegacy(all) },
  // better-auth and Lucia write it with other settings than Node's own examples.
  { form: /^[0-9a-f]{32}:[0-9a-f]{128}$/i, read: "ambiguous" },
  // Joomla and shops put the salt in front of the password, or behind it.
  { form: /^[0-9a-f]{32}:.+$/i, read: "ambiguous" },
  { form: /^\*?[0-9a-f]{40}$|^([0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})$/i, read: "sha" },
  { form: /^U\$[SP]\$/, read: "pre-hashed" }, // Drupal, of passwords that once were MD5
  // No form of Django or Werkzeug fits.
  { form: /^(argon2|bcrypt|pbkdf2_sha\d+|scrypt)\$|^(pbkdf2:sha\d+|scrypt):\d+/, read: "damaged" },
];

/** Reads a form of another system; undefined for an unknown form. */
export function readForeign(text: string): Foreign | undefined {
  for (const { form, read } of text.startsWith("$") ? dollarForms : otherForms) {
    const match = form.exec(text);
    if (match !== null) return typeof read === "string" ? { rule: read } : read(match);
  }
  return undefined;
}

/** What stands behind the name of a scheme in braces: directories (RFC 2307), Dovecot, Atlassian, Spring. */
function readScheme(scheme: string, rest: string): Foreign {
  const name = scheme.toLowerCase();
  if (name === "crypt" && DES.test(rest)) return { rule: "des" };
  if (/crypt$|^argon2/.test(name)) return { as: rest };
  if (name === "md5" || name === "plain-md5")
    return md5(Buffer.from(rest, /^[0-9a-f]{32}$/i.test(rest) ? "hex" : "base64"));
  if (name === "smd5") return smd5(Buffer.from(rest, "base64"));
  if (name === "pkcs5s2") return atlassian(Buffer.from(rest, "base64"));
  const [, digest = "sha1"] = /^pbkdf2(?:[-_](sha\d+))?$/.exec(name) ?? [undefined, undefined];
  if (/^pbkdf2/.test(name) && /^\d+\$/.test(rest) && PBKDF2[digest] !== undefined)
    return { as: `${PBKDF2[digest]}$${rest}` };
  if (/^s?sha/.test(name)) return { rule: "sha" };
  return { rule: /^(noop|plain|clear|cleartext)$/.test(name) ? "plain" : "unknown-kind" };
}

const DES = /^[./A-Za-z0-9]{13}$/;

function unpadded(text: string): string {
  return text.replace(/=+$/, "");
}

function sha2(id = "", rest = ""): Foreign {
  return { as: `$${id}$rounds=5000$${rest}` };
}

function kratosMd5(pattern: string, salt: string, key: string): Foreign {
  const [salted, text] = [Buffer.from(key, "base64"), Buffer.from(salt, "base64").toString("latin1")];
  switch (Buffer.from(pattern, "base64").toString()) {
    case "{SALT}{PASSWORD}":
      return md5Salted("prefix", text, salted);
    case "{PASSWORD}{SALT}":
      return md5Salted("suffix", text, salted);
    default:
      return { rule: "not-convertible" };
  }
}

/** Key, then salt. */
function smd5(bytes: Buffer): Foreign {
  return bytes.length < 16
    ? { rule: "damaged" }
    : md5Salted("suffix", bytes.toString("latin1", 16), bytes.subarray(0, 16));
}

/** Salt, then key. */
function atlassian(bytes: Buffer): Foreign {
  return bytes.length === 48 ? pbkdf2("sha1", 10_000, bytes.subarray(0, 16), bytes.subarray(16)) : { rule: "damaged" };
}

/** By the number in front (dotnet/aspnetcore, PasswordHasher.cs). */
const ASP_NET_DIGESTS = ["sha1", "sha256", "sha512"];

function aspNet(bytes: Buffer): Foreign {
  if (bytes[0] === 0 && bytes.length === 49) {
    return pbkdf2("sha1", 1000, bytes.subarray(1, 17), bytes.subarray(17));
  }
  if (bytes[0] !== 1 || bytes.length < 13) return { rule: "unknown-kind" };
  const digest = ASP_NET_DIGESTS[bytes.readUInt32BE(1)];
  const saltEnd = 13 + bytes.readUInt32BE(9);
  if (digest === undefined || saltEnd === 13 || saltEnd >= bytes.length) return { rule: "unknown-kind" };
  return pbkdf2(digest, bytes.readUInt32BE(5), bytes.subarray(13, saltEnd), bytes.subarray(saltEnd));
}

/** `["pbkdf2", [salt, iterations, length, digest, "@"], hex]` and the like, where @ stands for the password. */
function logtoLegacy(text: string): Foreign {
  const parsed = parsedJson(text);
  if (!Array.isArray(parsed) || !Array.isArray(parsed[1]) || typeof parsed[2] !== "string")
    return { rule: "unknown-kind" };
  const [algorithm, given, hex] = parsed as [unknown, readonly unknown[], string];
  const [first = "", second = "", , digest = "", last] = given.map(String);
  const key = Buffer.from(hex, "hex");
  if (/^pbkdf2(Sync)?$/.test(String(algorithm)) && last === "@" && /^\d+$/.test(second)) {
    return pbkdf2(
      digest,
      second,
      first.startsWith("hex:") ? Buffer.from(first.slice(4), "hex") : bytesOfText(first),
      key,
    );
  }
  if (algorithm !== "md5" || given.length > 2)
    return { rule: /^sha/.test(String(algorithm)) ? "sha" : "not-convertible" };
  if (given.length === 1) return first === "@" ? md5(key) : { rule: "not-convertible" };
  if (second === "@") return md5Salted("prefix", first, key);
  return first === "@" ? md5Salted("suffix", second, key) : { rule: "not-convertible" };
}
