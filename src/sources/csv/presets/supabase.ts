import type { Preset } from "../preset.ts";

/** Supabase: the table auth.users, from the dashboard or psql. */
export const supabase: Preset = {
  id: "supabase",
  title: "Supabase",
  signatures: [["id", "email", "encrypted_password", "raw_user_meta_data", "raw_app_meta_data"]],
  fields: {
    userId: "id",
    userName: "email|phone",
    email: "email",
    emailVerified: "email_confirmed_at",
    firstName: "raw_user_meta_data.first_name|raw_user_meta_data.given_name",
    lastName: "raw_user_meta_data.last_name|raw_user_meta_data.family_name",
    name: "raw_user_meta_data.full_name|raw_user_meta_data.name|raw_user_meta_data.display_name",
    displayName: "raw_user_meta_data.full_name|raw_user_meta_data.name|raw_user_meta_data.display_name",
    phone: "phone",
    phoneVerified: "phone_confirmed_at",
    hash: "encrypted_password",
    state: "banned_until",
    deleted: "deleted_at",
    anonymous: "is_anonymous",
  },
  metadata: { raw_user_meta_data: "raw_user_meta_data", raw_app_meta_data: "raw_app_meta_data" },
  hasBarePhones: true,
  // Users who only sign in with other providers have a random hash, without a known password.
  providers: { column: "raw_app_meta_data.providers", own: ["email", "phone"] },
};
