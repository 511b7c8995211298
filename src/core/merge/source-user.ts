/**
 * A user as any source provider describes one, ready to become an entry of the import body. What is absent or undefined is left out
 * of the entry. Lengths and forms are the provider's to check (core/rules), by the service's rules (service behaviour 1.4).
 */
export interface SourceUser {
  /** The source provider's id; kept by the service. */
  readonly userId: string;
  /** What the user signs in with; unique, upper and lower case being the same. */
  readonly userName: string;
  readonly email: string;
  /** Absent: not verified. `--email-verified` overrides it. */
  readonly isEmailVerified?: boolean | undefined;
  readonly firstName: string;
  readonly lastName: string;
  readonly nickName?: string | undefined;
  readonly displayName?: string | undefined;
  /** A language tag of at most 10 characters. */
  readonly preferredLanguage?: string | undefined;
  readonly gender?: "GENDER_FEMALE" | "GENDER_MALE" | "GENDER_DIVERSE" | undefined;
  /** In the international form, with a plus sign. */
  readonly phone?: string | undefined;
  readonly isPhoneVerified?: boolean | undefined;
  /** In modular crypt format, or another form that the service's verifiers take (service behaviour 4). */
  readonly hash?: string | undefined;
  /** The password itself, of at most 72 bytes: the run hashes it before anything is written, and it is written nowhere. */
  readonly plainPassword?: string | undefined;
  readonly isPasswordChangeRequired?: boolean | undefined;
  /** The TOTP key in base32 (service behaviour 0.25). */
  readonly otpSecret?: string | undefined;
  /** Where they stand in the body depends on whether the user has a hash (entry-layout.ts). */
  readonly idpLinks?: readonly IdpLink[] | undefined;
  readonly metadata?: readonly Metadata[] | undefined;
  /** At most one for each project. */
  readonly grants?: readonly Grant[] | undefined;
  /** Absent: the source does not say it, and an import creates an active user. */
  readonly state?: "active" | "inactive" | "locked" | undefined;
  /** Absent: the organization that the command line names. */
  readonly orgId?: string | undefined;
  /** A name of the source's own for an organization; `--org-map` says which is meant, and without it the user goes to no other. */
  readonly orgName?: string | undefined;
}

/**
 * True for a user who is open, and whose address is verified. An address that is not verified may be another person's.
 * @param isEmailVerified as the entry says it.
 */
export function isProvedUser({ state }: SourceUser, isEmailVerified: boolean): boolean {
  return isEmailVerified && (state ?? "active") === "active";
}

/** The user's account at an identity provider of the target. */
export interface IdpLink {
  /** Id of the identity provider on the target. */
  readonly idpId: string;
  /** The user's id there. */
  readonly externalUserId: string;
  readonly displayName?: string | undefined;
}

/** A key and a value that the service keeps with the user. */
export interface Metadata {
  readonly key: string;
  readonly value: string;
}

/** Roles in a project of the target. */
export interface Grant {
  readonly projectId: string;
  readonly roleKeys: readonly string[];
  /** Of a project that another organization owns. */
  readonly projectGrantId?: string;
}

/** A project that the body creates in the organization that the command line names. */
export interface NewProject {
  readonly id: string;
  readonly name: string;
  /** Grows while users are read. */
  readonly roleKeys: ReadonlySet<string>;
}
