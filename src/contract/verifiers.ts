/** The verifiers of the service, by its own names (service behaviour 4). Only bcrypt is enabled everywhere. */
export const verifiers = [
  "bcrypt",
  "argon2",
  "scrypt",
  "pbkdf2",
  "md5",
  "md5plain",
  "md5salted",
  "sha2",
  "phpass",
  "drupal7",
] as const;
export type Verifier = (typeof verifiers)[number];
