import { describe, expect, test } from "vitest";
import { splitName } from "../../../../src/core/rules/names.ts";
import {
  toConfirmed,
  toFlag,
  toGender,
  toMoment,
  toOtpSecret,
  toState,
  wordOf,
} from "../../../../src/sources/mapped/values.ts";

test.each([
  ["true t yes Y 1 ON WAHR", true],
  ["false f no N 0 off Falsch", false],
  ["perhaps 2 - active", undefined],
])("%s: %s", (words, flag) => {
  for (const word of words.split(" ")) expect(toFlag(word)).toBe(flag);
});

test.each([
  ["2024-01-02T03:04:05Z", Date.UTC(2024, 0, 2, 3, 4, 5)],
  ["2024-01-02 03:04:05.123456+02", Date.UTC(2024, 0, 2, 1, 4, 5, 123)],
  ["2024-01-02 03:04:05 UTC", Date.UTC(2024, 0, 2, 3, 4, 5)],
  ["2024-01-02", Date.UTC(2024, 0, 2)],
  ["1704164645", 1_704_164_645_000],
  ["1704164645123", 1_704_164_645_123],
  ["Tue Jan 02 2024 03:04:05 GMT+0000 (Coordinated Universal Time)", Date.UTC(2024, 0, 2, 3, 4, 5)],
  ["infinity", Number.POSITIVE_INFINITY],
  ["12.03.2024", Date.UTC(2024, 2, 12)],
  ["1.2.2023 14:33", Date.UTC(2023, 1, 1, 14, 33)],
  ["31/12/23", Date.UTC(2023, 11, 31)],
  ["12/31/2023, 2:33:10 PM", Date.UTC(2023, 11, 31, 14, 33, 10)],
  // The month may be the first number or the second: the later day.
  ["03/04/2024", Date.UTC(2024, 3, 3)],
  ["31.02.2024", undefined],
  ["yesterday", undefined],
  ["12", undefined],
])("the moment %s", (text, ms) => {
  expect(toMoment(text)).toBe(ms);
});

describe("whether an address or number was confirmed", () => {
  test.each([
    ["a flag", "t", "email_verified", "a@x.org", true],
    ["the moment when it was", "2024-01-02 03:04:05+00", "confirmed_at", "a@x.org", true],
    [
      "a number of seconds, where the name says that it is a moment",
      "1704164645",
      "email_verified_at",
      "a@x.org",
      true,
    ],
    ["MySQL's zero date", "0000-00-00 00:00:00", "email_verified_at", "a@x.org", false],
    ["a day that does not exist", "31.02.2024", "verified", "a@x.org", undefined],
    ["a date as a spreadsheet counts days", "45363", "verified", "a@x.org", undefined],
    ["a German date", "12.03.2024", "verified", "a@x.org", true],
    ["a German date, for a number", "01.02.2023 14:33", "verified", "+41791234567", true],
    ["a list in which it stands, upper or lower case", "b@x.org|A@x.org", "verified", "a@x.org", true],
    ["a list in which it does not stand", "b@x.org, c@x.org", "verified", "a@x.org", false],
    ["a number of ten digits in a list of numbers", "0791234567", "verified_phones", "+41791234567", false],
    ["anything else", "perhaps", "verified", "a@x.org", undefined],
  ])("%s", (_, text, column, value, confirmed) => {
    expect(toConfirmed(text, column, value)).toBe(confirmed);
  });
});

describe("the state that a column tells", () => {
  const now = Date.UTC(2026, 0, 1);
  test.each([
    ["ACTIVE", "status", "active"],
    ["LOCKED_OUT", "status", "locked"],
    ["locked out", "status", "locked"],
    ["Deprovisioned", "status", "inactive"],
    ["t", "is_active", "active"],
    ["f", "is_active", "inactive"],
    ["1", "inactive", "inactive"],
    ["0", "blocked", "active"],
    ["true", "blocked", "inactive"],
    ["yes", "locked", "locked"],
    ["2024-01-01", "locked_at", "locked"],
    ["2024-01-01", "disabled_at", "inactive"],
    ["2024-01-01 00:00:00+00", "banned_until", "active"],
    ["2999-01-01 00:00:00+00", "banned_until", "inactive"],
    ["infinity", "banned_until", "inactive"],
    ["01.01.2020", "gesperrt bis", "active"],
    ["01.01.2999", "gesperrt_bis", "locked"],
    ["00.00.0000", "gesperrt am", "active"],
    ["9999-12-31T23:59:59.9999999+00:00", "LockoutEnd", "locked"],
    ["0000-00-00 00:00:00", "locked_at", "active"],
    ["2024-01-01", "activated_at", undefined],
    ["1", "Aktiv", "active"],
    ["0", "Ist aktiv", "inactive"],
    ["1", "Inaktiv", "inactive"],
    ["true", "deaktiviert", "inactive"],
    ["0", "Gesperrt", "active"],
    ["Gesperrt", "Status", "locked"],
    ["aktiv", "Status", "active"],
    ["ja", "Gesperrt", "locked"],
    ["1", "Kontosperre", "locked"],
    ["03.04.2024", "gesperrt am", "locked"],
    ["03.04.2024", "Sperrdatum", "locked"],
    ["ja", "blockiert", "inactive"],
    ["ja", "deaktiviert", "inactive"],
    ["blockiert", "Status", "inactive"],
    ["ja", "entsperrt", undefined],
    ["true", "account_locked", "locked"],
    ["true", "is_banned", "inactive"],
    ["nein", "Aktiv", "inactive"],
    ["true", "flag", undefined],
    ["CA", "state", undefined],
  ])("%s in %s", (text, column, state) => {
    expect(toState(text, column, now)).toBe(state);
  });
});

test("German words for a gender", () => {
  const words = ["w", "weiblich", "m", "Männlich", "d", "divers"];
  const [female, male, diverse] = ["GENDER_FEMALE", "GENDER_MALE", "GENDER_DIVERSE"];
  expect(words.map(toGender)).toEqual([female, female, male, male, diverse, diverse]);
});

test("a gender the service has a word for", () => {
  expect(["F", "male", "X", "unspecified", "constructor"].map(toGender)).toEqual([
    "GENDER_FEMALE",
    "GENDER_MALE",
    "GENDER_DIVERSE",
    undefined,
    undefined,
  ]);
});

describe("the key of one-time codes", () => {
  const key = "JBSWY3DPEHPK3PXP";
  test.each([
    ["as it is", key, key],
    ["in groups, small letters, padded", "jbsw y3dp-ehpk 3pxp==", key],
    ["out of an address", `otpauth://totp/x:a?secret=${key}&issuer=x&algorithm=SHA1&digits=6&period=30`, key],
    ["but not of codes that the service does not check", `otpauth://totp/x?secret=${key}&period=60`, undefined],
    ["nor of counted ones", `otpauth://hotp/x?secret=${key}`, undefined],
    ["nor of something else", "not a key at all", undefined],
    ["nor of an address that is none", "otpauth:%", undefined],
  ])("%s", (_, text, secret) => {
    expect(toOtpSecret(text)).toBe(secret);
  });
});

test.each([
  ["Ann Mary Example", "Ann Mary", "Example"],
  ["Plato", "Plato", "Plato"],
  ["Example, Ann Mary", "Ann Mary", "Example"],
  ["Ann Example, Jr.", "Ann Example,", "Jr."],
])("%s is split into two names", (name, first, last) => {
  expect(splitName(name)).toEqual({ first, last });
});

test.each(["gesperrt", "auf Eis (zwei)", "7", "-", "gelöscht"])("a word: %s", (text) => {
  expect(wordOf(text)).toBe(text);
});

test.each(["hunter2", "ann@example.com", "0171 123456", "$2b$10$abc", "2024-01-01", "x".repeat(101), "a\u001b[2J"])(
  "no word, but a text about one user: %j",
  (text) => {
    expect(wordOf(text)).toBeUndefined();
  },
);
