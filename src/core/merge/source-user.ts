/**
 * A user as any source provider describes one, ready to become an entry of the import body. What is absent is left out of the
 * entry. Lengths and forms are the provider's to check (core/rules), by the service's rules (service behaviour 1.4).
 */
export interface SourceUser {
  /** The source provider's id; kept by the service. */
  readonly userId: string;
  /** What the user signs in with; unique, upper and lower case being the same. */
  readonly userName: string;
  readonly email?: string;
  /** Absent: not verified. `--email-verified` overrides it. */
  readonly isEmailVerified?: boolean;
  readonly firstName: string;
  readonly lastName: string;
  readonly nickName?: string;
  readonly displayName?: string;
  /** A language tag of at most 10 characters. */
  readonly preferredLanguage?: string;
  readonly gender?: "GENDER_FEMALE" | "GENDER_MALE" | "GENDER_DIVERSE";
  /** In the international form, with a plus sign. */
  readonly phone?: string;
  readonly isPhoneVerified?: boolean;
  /** In modular crypt format, or another form that the service's verifiers take (service behaviour 4). */
  readonly hash?: string;
  readonly isPasswordChangeRequired?: boolean;
  /** The TOTP key in base32 (service behaviour 0.25). */
  readonly otpSecret?: string;
  /** Where they stand in the body depends on whether the user has a hash (entry-layout.ts). */
  readonly idpLinks?: readonly IdpLink[];
  readonly metadata?: readonly Metadata[];
  /** Absent: active. */
  readonly state?: "inactive" | "locked";
  /** Absent: the organization that the command line names. */
  readonly orgId?: string;
  /** A name of the source's own for an organization; `--org-map` says which is meant, and without it the user goes to no other. */
  readonly orgName?: string;
}

/** The user's account at an identity provider of the target. */
export interface IdpLink {
  /** Id of the identity provider on the target. */
  readonly idpId: string;
  /** The user's id there. */
  readonly externalUserId: string;
  readonly displayName?: string;
}

/** A key and a value that the service keeps with the user. */
export interface Metadata {
  readonly key: string;
  readonly value: string;
}
