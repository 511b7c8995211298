import type { Remark } from "../../problem.ts";
import { typeOf } from "./credentials.ts";
import type { RawUser, User } from "./user-row.ts";

/** Keycloak's names of the actions that it requires at the next sign-in. */
const UPDATE_PASSWORD = "UPDATE_PASSWORD";
const ACTIONS: ReadonlyMap<string, Remark> = new Map([
  ["VERIFY_EMAIL", "verify-email-lost"],
  ["UPDATE_PROFILE", "update-profile-lost"],
  ["VERIFY_PROFILE", "update-profile-lost"],
  ["TERMS_AND_CONDITIONS", "terms-lost"],
  ["terms_and_conditions", "terms-lost"],
  ["CONFIGURE_TOTP", "factor-setup-lost"],
  ["CONFIGURE_RECOVERY_AUTHN_CODES", "factor-setup-lost"],
  ["webauthn-register", "factor-setup-lost"],
  ["webauthn-register-passwordless", "factor-setup-lost"],
]);

/** Types of credentials that are read elsewhere, or have no meaning any more. */
const CARRIED_TYPES: readonly unknown[] = ["password", "password-history", "otp", "totp", "hotp"];

/** True if the user must change the password at the next sign-in. */
export function mustChangePassword({ requiredActions }: Partial<User>): boolean {
  return requiredActions?.includes(UPDATE_PASSWORD) === true;
}

/** Adds remarks for what a user loses by leaving Keycloak. Roles and groups are not among them. */
export function addLosses(user: Partial<User>, raw: RawUser, hasHash: boolean, remarks: Remark[]): void {
  for (const action of user.requiredActions ?? []) {
    const remark = ACTIONS.get(action) ?? "action-lost";
    // The service asks for proof of an unverified address as well.
    const isAskedAnyway = action === UPDATE_PASSWORD || (action === "VERIFY_EMAIL" && user.emailVerified !== true);
    if (!isAskedAnyway && !remarks.includes(remark)) remarks.push(remark);
  }
  if (user.credentials?.some((stored) => !CARRIED_TYPES.includes(typeOf(stored)))) remarks.push("factors-lost");
  if (raw["federationLink"] && !hasHash) remarks.push("password-elsewhere");
}
