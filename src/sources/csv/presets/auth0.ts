import type { Preset } from "../preset.ts";

/** Auth0's exports as tables. Passwords come in a separate file, which `migrate auth0` joins with the JSON export. */
export const auth0: Preset = {
  id: "auth0",
  title: "Auth0",
  signatures: [
    ["user_id", "email", "email_verified", "nickname"],
    ["Id", "Nickname", "Name", "email", "Connection"],
  ],
  fields: {
    userId: "user_id|Id",
    userName: "username|email",
    email: "email",
    emailVerified: "email_verified",
    firstName: "given_name",
    lastName: "family_name",
    name: "name",
    nickName: "nickname",
    language: "locale",
    phone: "phone_number",
    phoneVerified: "phone_verified",
    state: "blocked",
  },
  hasApostrophes: true,
};
