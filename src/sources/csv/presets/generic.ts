import type { Preset } from "../preset.ts";

/** Tables of one's own: the names that databases, frameworks and shops give to these columns. Never recognized by itself. */
export const generic: Preset = {
  id: "generic",
  title: "a table of one's own",
  fields: {
    userId: "id|user_id|uid|uuid|sub|external_id",
    userName: "username|user_name|login|user_login|email|mail|user_email|email_address|primary_email",
    email: "email|mail|user_email|email_address|primary_email",
    emailVerified: "email_verified|email_confirmed|email_verified_at|email_confirmed_at|confirmed_at",
    firstName: "first_name|given_name",
    lastName: "last_name|family_name|surname|sn",
    name: "name|full_name|display_name|cn",
    displayName: "display_name|full_name",
    nickName: "nickname",
    language: "language|locale|lang",
    gender: "gender",
    phone: "phone|phone_number|mobile|mobile_phone|primary_phone",
    phoneVerified:
      "phone_verified|phone_confirmed|phone_number_verified|phone_number_confirmed|phone_verified_at|phone_confirmed_at",
    hash: "password_hash|encrypted_password|password_digest|hashed_password|user_pass|password_encrypted|password",
    hashKind: "hasher|password_hasher|algorithm|encryption_scheme|password_encryption_method",
    salt: "salt|password_salt",
    iterations: "iterations|factor",
    password: "plain_password|password",
    totp: "totp_secret|otp_secret",
    state:
      "active|is_active|enabled|is_enabled|disabled|is_disabled|blocked|is_blocked|banned|suspended|is_suspended|locked_at|lockout_end|banned_until",
    deleted: "deleted_at|is_deleted",
    anonymous: "is_anonymous",
  },
  metadataColumns: /^metadata\.(.+)$/i,
};
