import { expect, test } from "vitest";
import { isName, keyOf, plainName, usualNames } from "../../../../src/sources/mapped/usual-names.ts";

test.each([
  ["names of columns", ["id", "E-Mail", "custom:tenant", "metadata.plan", ""], true],
  ["an address", ["1", "ann@example.com"], false],
  ["a hash", ["id", "$2b$10$abc"], false],
  ["an id", ["5f7c8ec7-0000-4000-8000-000000000001", "x"], false],
  ["a date", ["x", "2024-01-01"], false],
  ["a number", ["7", "x"], false],
  ["a key", ["5f7c8ec7c33c6c004bbafe82", "x"], false],
  ["a long text", ["x".repeat(101)], false],
])("a first row with %s", (_, names, expected) => {
  expect(names.every(isName)).toBe(expected);
});

test.each([
  ["userId", ["Kundennr.", "Kunden-Nr", "Kd.-Nr.:", "Employee No", "Employee No.", "Customer Number", "Pers.-Nr."]],
  ["email", ["E-Mail:", "Mail address", "Work e-mail"]],
  ["emailVerified", ["bestätigt", "bestätigt am", "E-Mail bestätigt", "Verifiziert", "E-Mail-Adresse verifiziert"]],
  ["state", ["gesperrt am", "gesperrt seit", "Sperrdatum", "status_code", "Status-Name"]],
  ["phone", ["Tel.", "Telefon-Nr.", "Mobile No."]],
  ["lastName", ["Zuname", "Last Name"]],
  [
    "salt",
    [
      "Salz",
      "Passwort-Salz",
      "passwort_salt",
      "hash_salt",
      "pwsalt",
      "pw_salt",
      "sel",
      "Streuwert",
      "Passwort-Streuwert",
      "seed",
      "passwordSeed",
    ],
  ],
  ["hashKind", ["Verfahren", "Hash-Verfahren", "Algorithmus", "hash_type", "Hashtyp"]],
] as const)("a column of %s has usual names: %j", (field, names) => {
  const known = usualNames[field]?.split("|").map(plainName);
  for (const name of names) expect(known).toContain(plainName(name));
});

test.each([
  ["status.name", "status"],
  ["konto.Status.Wert", "Status"],
  ["profile.name", "name"],
  ["status.id", "id"],
  ["gesperrt", "gesperrt"],
])("the key that says what %s is: %s", (path, key) => {
  expect(keyOf(path)).toBe(key);
});

test("a dot between the parts of a path is a part of the name", () => {
  expect(plainName("profile.e_mail")).toBe("profile.email");
});
