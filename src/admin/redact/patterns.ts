import type { Span } from "./known-secrets.ts";

/**
 * Texts that look like a secret: hashes in the modular crypt format and in the formats of LDAP and Django, tokens, private keys, and
 * values with the key of a secret.
 */
const PATTERNS: readonly RegExp[] = [
  // Bare base32, as of a secret of one-time codes: letters and digits of its alphabet alone. A long number or word is none.
  /(?<![\w+/=-])(?=[A-Z2-7]*\d)(?=[A-Z2-7]*[A-Z])[A-Z2-7]{16,}={0,6}(?![\w+/=-])/g,
  /\$[a-z0-9_-]{1,24}\$[\w./+=,$*!:-]{6,}/gi,
  /\{(?:s?sha\d*|s?md5|crypt|bcrypt|scrypt|pbkdf2[\w-]*|argon2[\w-]*|scram[\w-]*)\}[\w./+=,$:-]{6,}/gi,
  /\b(?:pbkdf2|bcrypt|argon2|scrypt|md5|sha1|sha256|sha512)\w*\$[\w./+=,$-]{8,}/gi,
  /\beyJ[\w-]{6,}\.[\w-]{4,}(?:\.[\w-]*){0,3}/g,
  /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|$)/g,
  /\b(?:Bearer|Basic) +(?=[\w.~+/=-]{8,})[\w.~+/=-]+/gi,
  /"?\b(?:hashed_?password|password|otp_?code|totp_?secret|encoded_?hash|client_?secret|private_?key|secret_?access_?key|access_?token)"?\s*[:=]\s*"[^"]{6,}"?/gi,
];

/** The positions of texts that look like a secret. */
export function findPatterns(text: string): Span[] {
  // Every pattern needs one of these.
  if (!/[$}=:.-]|bearer|basic|[A-Z2-7]{16}/i.test(text)) return [];
  return PATTERNS.flatMap((pattern) =>
    [...text.matchAll(pattern)].map(({ 0: found, index }) => ({ start: index, end: index + found.length })),
  );
}
