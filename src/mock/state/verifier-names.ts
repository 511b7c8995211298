import type { Verifier } from "../api.ts";

/** Algorithms that an instance can be configured to verify passwords with; a new instance has bcrypt alone (service behaviour 4). */
export const verifierNames = ["bcrypt", "argon2", "pbkdf2", "scrypt"] as const satisfies readonly Verifier[];
