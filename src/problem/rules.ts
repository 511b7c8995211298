import { say } from "./description.ts";

/** The part of the service's e-mail rule that a value breaks (service behaviour 1.4). */
export const emailRules = {
  shape: "it must have the form name@domain",
  "local-part-length": "the part before the @ is longer than 64 bytes",
  "total-length": "it is longer than 254 bytes",
  length: "it is longer than 200 characters",
  "not-ascii": "versions before 4.8.1 accept no letters outside ASCII before the @",
  domain: "the part after the @ is not a host name (write international domains in punycode)",
} as const;
export type EmailRule = keyof typeof emailRules;

const ASK_AGAIN = "Request this user's hash again, or drop the hash with --unverifiable drop.";
const NAME_KIND = "Find out which system made it and name that kind, or drop the hash with --unverifiable drop.";
/** For sources with `--hash-kind`. */
const NAME_MAPPED_KIND =
  "Find out which system made it, and name that kind: of hashes without a prefix such as $2b$ with --hash-kind, of those with a word in a column or path of kinds with --map hashKind=<name> and --value hashKind:<word>=<kind>. With MD5 it is md5_salt_prefix (the salt before the password) or md5_salt_suffix; the page From a CSV table has all kinds. Or drop the hash with --unverifiable drop.";
const DROP = "Drop the hash with --unverifiable drop; the user then sets a new password.";

/** Why the service cannot check a hash: the part of the bcrypt form that it breaks, or its kind (service behaviour 4). */
export const hashRules = {
  type: say("it is not a string", ASK_AGAIN),
  empty: say("it is empty", ASK_AGAIN),
  prefix: say("it is neither bcrypt ($2a$, $2b$ or $2y$) nor of another known kind", ASK_AGAIN),
  bcrypt: say("its cost must be 04 to 31", ASK_AGAIN),
  "argon2-memory": say("its memory (m) must be 8 to 4294967295 KiB", ASK_AGAIN),
  "argon2-time": say("its time cost (t) must be 1 to 4294967295", ASK_AGAIN),
  "argon2-parallelism": say("its parallelism (p) must be 1 to 255", ASK_AGAIN),
  "pbkdf2-rounds": say("its number of rounds must be 1 to 2147483647", ASK_AGAIN),
  "scrypt-ln": say("its cost must be a power of two with an exponent (ln) of 1 to 31", ASK_AGAIN),
  "scrypt-r": say("its block size (r) must be 1 to 2147483647", ASK_AGAIN),
  "scrypt-p": say("its parallelism (p) must be 1 to 2147483647", ASK_AGAIN),
  "sha256-rounds": say("its number of rounds must be 1000 to 999999999", ASK_AGAIN),
  "sha512-rounds": say("its number of rounds must be 1000 to 999999999", ASK_AGAIN),
  "phpass-rounds": say("its number of rounds must be a power of two with an exponent of 1 to 31", ASK_AGAIN),
  "drupal7-iterations": say("its number of iterations must be 1 to 1073741824", ASK_AGAIN),
  "users-api-length": say(
    "it has more than 200 characters, and the users API, which would create this user, accepts no more",
    "Import with --via import in place of --no-mail: the hash is accepted, the user may get an e-mail or an SMS, and a required change of the password is lost. Or remove the hash, so that the user sets a new password.",
  ),
  damaged: say(
    "it begins as a hash of a known kind, and it is damaged or cut off",
    "Request this user's hash again, and check whether a column that it came through is too short; or drop the hash with --unverifiable drop.",
  ),
  length: say("it must be 60 characters long", ASK_AGAIN),
  alphabet: say("it contains characters that bcrypt does not use", ASK_AGAIN),
  "not-enabled": say(
    "the target does not check hashes of this kind, unless --target-verifiers names it",
    "Enable its verifier on the target and name it, or drop the hash with --unverifiable drop.",
  ),
  "out-of-limits": say(
    "its cost is out of the target's limits (--target-version, --target-limits)",
    "For an older or a changed target, name it with --target-version or its limits with --target-limits; or drop the hash with --unverifiable drop.",
  ),
  "not-convertible": say("it cannot be converted to a form that the service reads", DROP),
  ambiguous: say("several systems use this form with different meanings", NAME_KIND),
  apr1: say("it is Apache's MD5 (apr1), which the service does not check", DROP),
  argon2d: say("it is argon2d, and the service checks only argon2i and argon2id", DROP),
  "argon2-version": say("it is version 1.0 of argon2, and the service checks only version 1.3", DROP),
  des: say("it is DES of crypt, which the service does not check", DROP),
  "firebase-scrypt": say("it is Firebase's scrypt, which the service does not check", DROP),
  keyed: say("it was made with a secret key (pepper), which the service does not support", DROP),
  ntlm: say("it is an NT hash, which the service does not check", DROP),
  plain: say("it is a password, not a hash", "Hash the passwords with --plain-passwords, or remove them."),
  "pre-hashed": say("the password was hashed with another function first, which the service does not do", DROP),
  salt: say(
    "its salt, or with PBKDF2 its number of iterations, is missing, or in a form that the service does not read",
    DROP,
  ),
  "salt-blanks": say(
    "its salt has blanks around it, which may belong to the table or to the salt",
    "Remove the blanks that belong to the table; those that belong to a salt are kept by migrate json. Or drop the hash with --unverifiable drop.",
  ),
  "salt-place": say(
    "its salt is in a field of its own, and the kind does not say where the salt belongs (MD5) or how it is written (PBKDF2)",
    NAME_MAPPED_KIND,
  ),
  "salt-unread": say(
    "a column or path has a salt and is not read as one, and MD5 does not say whether it was made with that salt",
    "Read the salt with --map salt=<name> and name the kind with --hash-kind: md5_salt_prefix (the salt before the password) or md5_salt_suffix. If these hashes are made without a salt, use --hash-kind auto. Or drop the hash with --unverifiable drop.",
  ),
  sha: say("it is SHA-1 or SHA-2 of password and salt, which the service does not check", DROP),
  "unknown-kind": say("no verifier of the service reads hashes of its kind", DROP),
  "unknown-name": say("the name of its kind is unknown", NAME_MAPPED_KIND),
} as const;
export type HashRule = keyof typeof hashRules;

/** Why a text cannot be hashed as a password. */
export const passwordRules = {
  "too-long": say(
    "longer than the 72 bytes that bcrypt accepts.",
    "Remove the password, so that the user sets a new one.",
  ),
  hash: say("a password hash, not a password.", "Name its column with --map hash=<column>."),
  nul: say("contains a NUL character, which is not allowed in a password.", "Fix or remove the password."),
} as const;
export type PasswordRule = keyof typeof passwordRules;

/** Why a password row matches no user. */
export const unmatchedReasons = {
  "no-profile": "no user of the profile file has this id or e-mail address.",
  "email-shared":
    "no user has this id, and several users or password rows have this e-mail address, so none of them gets the hash.",
  "not-a-database-user": "no user has this id, and the user with this e-mail address signs in with another provider.",
  "user-has-own-row": "no user has this id, and the user with this e-mail address has another password row.",
} as const;
export type UnmatchedReason = keyof typeof unmatchedReasons;
