import { describe, expect, test } from "vitest";
import { isPlain, options } from "../../../../src/sources/auth0/options.ts";
import { auth0 } from "../../../../src/sources/auth0/source.ts";
import type { Source } from "../../../../src/sources/source.ts";
import { OptionFault } from "../../../../src/sources/source.ts";
import { settingsOf } from "../../../helpers/settings-of.ts";

const noFile = (): string => "";

test("without flags the mapping is the specification's, and rows are read as bytes", () => {
  const settings = settingsOf(auth0 as Source);
  expect(isPlain(settings as Parameters<typeof isPlain>[0])).toBe(true);
  expect(auth0.createRows(settings as Parameters<typeof isPlain>[0], new Date(0)).fast?.users).toBeDefined();
});

test.each([
  ["profile", "full"],
  ["userName", "username"],
  ["metadata", "user"],
  ["idp", "github=1"],
  ["orgBy", "connection"],
  ["rolesBy", "app_metadata.roles"],
] as const)("with %s every profile is parsed, and password rows are still read as bytes", (name, given) => {
  const settings = settingsOf(auth0 as Source, { [name]: [given] });
  const { fast } = auth0.createRows(settings as Parameters<typeof isPlain>[0], new Date(0));
  expect([fast?.users === undefined, fast?.credentials === undefined]).toEqual([true, false]);
});

describe("an option says what it must be", () => {
  test.each([
    ["profile", "rich", "it must be plain or full."],
    ["userName", "id", "it must be email or username."],
    ["metadata", "client", "it must be user, app or user,app"],
    ["idp", "google", "two parts with a = between them"],
    ["phoneCountry", "Germany", "it must be the two letters of a country (ISO 3166), such as DE or GB."],
    ["rolesBy", "roles", "it must be a path such as app_metadata.roles, or a .csv file."],
    ["orgBy", "app_metadata", "it must be connection, a path such as app_metadata.org, or a .csv file."],
  ] as const)("--%s %s", (name, given, message) => {
    expect(() => options[name].read([given], noFile)).toThrow(OptionFault);
    expect(() => options[name].read([given], noFile)).toThrow(message);
  });

  test("a table of organizations names the row that is none", () => {
    expect(() => options.orgBy.read(["orgs.csv"], () => "auth0|1,5\nauth0|2\n")).toThrow("orgs.csv:2:");
  });
});

test.each([
  [{ grant: ["editor=1:editor"] }, "--grant needs --roles-by"],
  [{ phoneCountry: ["DE"] }, "--phone-country needs --profile full"],
])("a flag without the one that it needs is refused: %j", (given, message) => {
  const settings = settingsOf(auth0 as Source, given);
  expect(() => auth0.createRows(settings as Parameters<typeof isPlain>[0], new Date(0))).toThrow(
    expect.objectContaining({ problem: { code: "usage.invalid", message: expect.stringContaining(message) } }),
  );
});
