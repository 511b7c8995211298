/** Every user of Auth0 has `identities`; `blocked` is only in the rows of users who are or were blocked. */
const WATCHED = ["blocked", "identities", "email_verified", "identifiers"] as const;

const NOT_BLOCKED =
  "no row has blocked or identities, as in an export that was requested without them: users who are blocked at Auth0 become active, and their other accounts are neither linked nor counted. Request both fields, or use orgferry fetch auth0.";
const NOT_VERIFIED =
  "no row has email_verified: all e-mail addresses become unverified. Request the field, use orgferry fetch auth0, or give --email-verified if all are verified.";

/** Which fields the rows of an export have: those that were not requested are in none of them. */
export class FieldsSeen {
  readonly #seen = new Set<(typeof WATCHED)[number]>();

  /** Takes a row, and returns it. */
  of(row: object): object {
    if (this.#seen.size < WATCHED.length) for (const name of WATCHED) if (name in row) this.#seen.add(name);
    return row;
  }

  /** Warnings of what users lose by fields that no row had so far. @param isEmailVerified as a flag says it for all users. */
  lacks(unblock: boolean, isEmailVerified: boolean | undefined): readonly string[] {
    const isAbsent = (...names: readonly (typeof WATCHED)[number][]): boolean =>
      names.every((name) => !this.#seen.has(name));
    return [
      ...(!unblock && isAbsent("blocked", "identities") ? [NOT_BLOCKED] : []),
      ...(isEmailVerified === undefined && isAbsent("email_verified", "identifiers") ? [NOT_VERIFIED] : []),
    ];
  }
}
