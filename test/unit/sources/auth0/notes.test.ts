import { describe, expect, test } from "vitest";
import { createNotesOf } from "../../../../src/sources/auth0/notes.ts";
import { auth0 } from "../../../../src/sources/auth0/source.ts";
import { settingsOf } from "../../../helpers/settings-of.ts";

const notesOf = (given: Parameters<typeof settingsOf>[1], row: object) =>
  createNotesOf(settingsOf(auth0, given) as Parameters<typeof createNotesOf>[0])(row);

describe("fields", () => {
  const row = {
    user_id: "auth0|1",
    given_name: "Ann",
    family_name: "",
    nickname: null,
    phone_number: "+4917",
    username: "ann",
    user_metadata: { theme: "dark" },
    app_metadata: {},
  };

  test("names what a plain profile leaves out", () => {
    expect(notesOf({}, row).fields).toEqual(["given_name", "phone_number", "username", "user_metadata"]);
  });

  test("names nothing that a flag carries over", () => {
    const given = { profile: ["full"], metadata: ["user"], userName: ["username"] };
    expect(notesOf(given, row).fields).toEqual([]);
  });
});

describe("providers", () => {
  test.each([
    [{ user_id: "auth0|1" }, []],
    [{ user_id: "google-oauth2|1" }, ["google-oauth2"]],
    [{ user_id: "sms|1" }, []],
    [{ user_id: "without a provider" }, []],
    [{ user_id: "ann@x.org|1" }, []],
    [
      { user_id: "samlp|okta|a", identities: [{ provider: "samlp", connection: "okta", user_id: "okta|a" }] },
      ["okta (samlp)"],
    ],
    [
      { user_id: "auth0|1", identities: [{ provider: "auth0" }, { provider: "github", connection: "github" }] },
      ["github"],
    ],
    [{ user_id: "github|1", identities: [] }, ["github"]],
  ])("%j: %j", (row, providers) => {
    expect(notesOf({}, row).providers).toEqual(providers);
  });

  test("--idp names a provider or a connection", () => {
    const row = {
      user_id: "github|1",
      identities: [{ provider: "github" }, { provider: "samlp", connection: "okta" }],
    };
    expect(notesOf({ idp: ["github=1"] }, row).providers).toEqual(["okta (samlp)"]);
    expect(notesOf({ idp: ["github=1", "okta=2"] }, row).providers).toEqual([]);
    expect(notesOf({ idp: ["github=1", "samlp=2"] }, row).providers).toEqual([]);
  });
});
