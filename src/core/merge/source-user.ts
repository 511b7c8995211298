/** A user as any source provider describes one, ready to become an entry of the import body. */
export interface SourceUser {
  /** The source provider's id; kept by the service. */
  readonly userId: string;
  readonly email: string;
  /** Used for both names (spec: Import body for users). */
  readonly name: string;
  readonly isEmailVerified: boolean;
}
