import type { Preset } from "../preset.ts";

/** Okta: tables with the header of its own template, or of the browser extensions that export users. Okta exports no hashes. */
export const okta: Preset = {
  id: "okta",
  title: "Okta",
  signatures: [["login", "firstName", "lastName", "email", "secondEmail"]],
  fields: {
    userId: "id|login",
    userName: "login",
    email: "email",
    firstName: "firstName",
    lastName: "lastName",
    displayName: "displayName",
    nickName: "nickName",
    language: "preferredLanguage|locale",
    phone: "mobilePhone|primaryPhone",
    state: "status",
  },
};
