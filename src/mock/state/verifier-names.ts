/** Algorithms that an instance can be told to check passwords with; a new one knows bcrypt alone (service behaviour 4). */
export const verifierNames = ["bcrypt", "argon2", "pbkdf2", "scrypt"] as const;
export type VerifierName = (typeof verifierNames)[number];
