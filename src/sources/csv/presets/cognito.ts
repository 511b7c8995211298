import type { Preset } from "../preset.ts";

/** Amazon Cognito: tables with the header of `get-csv-header`, as its exporters write them. Cognito exports no hashes. */
export const cognito: Preset = {
  id: "cognito",
  title: "Amazon Cognito",
  signatures: [["cognito:username", "email", "email_verified"]],
  fields: {
    userId: "sub|cognito:username",
    userName: "preferred_username|email|cognito:username",
    email: "email",
    emailVerified: "email_verified",
    firstName: "given_name",
    lastName: "family_name",
    name: "name",
    displayName: "name",
    nickName: "nickname",
    language: "locale",
    gender: "gender",
    phone: "phone_number",
    phoneVerified: "phone_number_verified",
    state: "enabled",
  },
  metadataColumns: /^custom:(.+)$/i,
};
