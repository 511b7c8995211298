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

/** The setting of the service that enables verifiers besides bcrypt (service behaviour 4). */
const SETTING = "ZITADEL_SYSTEMDEFAULTS_PASSWORDHASHER_VERIFIERS";

/** `ZITADEL_…_VERIFIERS=argon2,pbkdf2`, in the order of the verifiers; undefined if bcrypt is enough. */
export function verifierSetting(needed: readonly string[]): string | undefined {
  const names = verifiers.filter((name) => name !== "bcrypt" && needed.includes(name));
  return names.length === 0 ? undefined : `${SETTING}=${names.join(",")}`;
}
