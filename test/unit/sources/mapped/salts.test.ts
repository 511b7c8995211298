import { expect, test } from "vitest";
import { hasSalt, isSaltName } from "../../../../src/sources/mapped/salts.ts";

test.each([
  ...[
    "salt",
    "Salz",
    "SALT",
    "pw_salt",
    "pwsalt",
    "pwdsalt",
    "passwordSalt",
    "Passwort-Salz",
    "passwortsalz",
    "PasswordSalt",
  ],
  ...["salt_value", "Salt (hex)", "salt1", "md5salt", "sel", "mot_de_passe_sel", "sal"],
  ...["salted", "is_salted", "Streuwert", "Passwort-Streuwert", "seed", "password_seed", "PasswordSeed", "hash-seed"],
  ...["pepper", "PEPPER", "pw_pepper", "passwordPepper", "Pfeffer"],
])("%s is the name of a salt", (name) => {
  expect(isSaltName(name)).toBe(true);
});

test.each(["Salzburg", "basalt", "salary", "salutation", "selected", "versalt", "unsalted", "seeded", ""])(
  "%s is none",
  (name) => {
    expect(isSaltName(name)).toBe(false);
  },
);

test.each(["totp_seed", "otpSeed", "2fa-seed", "mfa seed"])("%s is none: it is of one-time codes", (name) => {
  expect(isSaltName(name)).toBe(false);
});

test.each([
  ["in the value itself", { salt: "x" }, true],
  ["in an object in a list", { credentials: [{ hash: "x" }, { hash: "y", passwordSalt: "z" }] }, true],
  ["in JSON in a text", { secret: '{"salt":"x"}' }, true],
  ["empty", { salt: "", Salz: null, pw_salt: "NULL", a: [{ salt: " " }] }, false],
  ["the hash itself", { salted_hash: " 5f4d", Streuwert: "5f4d" }, false],
  ["missing", { hash: "salt", tags: ["salt"] }, false],
  ["in a text that is nested too deep to be read", { secret: `${"[".repeat(20_000)}{"salt":1}` }, false],
])("a salt that is %s", (_, row, expected) => {
  expect(hasSalt("", row, "5f4d")).toBe(expected);
});
