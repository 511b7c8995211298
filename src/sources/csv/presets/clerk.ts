import type { Preset } from "../preset.ts";

/** Clerk's user export (dashboard, Settings, User exports). */
export const clerk: Preset = {
  id: "clerk",
  title: "Clerk",
  signatures: [["id", "primary_email_address", "verified_email_addresses", "password_digest", "password_hasher"]],
  fields: {
    userId: "id",
    userName: "username",
    email: "primary_email_address|verified_email_addresses[0]|unverified_email_addresses[0]",
    emailVerified: "verified_email_addresses",
    firstName: "first_name",
    lastName: "last_name",
    phone: "primary_phone_number|verified_phone_numbers[0]|unverified_phone_numbers[0]",
    phoneVerified: "verified_phone_numbers",
    hash: "password_digest",
    hashKind: "password_hasher",
    totp: "totp_secret",
    state: "banned|locked",
  },
  others: [
    {
      key: "other_email_addresses",
      columns: "verified_email_addresses|unverified_email_addresses",
      besides: "email",
    },
    { key: "other_phone_numbers", columns: "verified_phone_numbers|unverified_phone_numbers", besides: "phone" },
  ],
};
