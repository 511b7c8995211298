import { expect, test } from "vitest";
import { proposeMap } from "../../../../src/sources/mapped/propose.ts";

/** The proposal for a table with these columns. */
function proposed(...columns: readonly string[]): string {
  return proposedOf(Object.fromEntries(columns.map((column) => [column, []])));
}

/** The proposal for rows with these values, by their places. */
function proposedOf(values: Readonly<Record<string, readonly unknown[]>>): string {
  const find = (names: string) =>
    names.split("|").flatMap((name) => Object.keys(values).filter((place) => place.split(".").at(-1) === name));
  return proposeMap(find, (place) => values[place] ?? [], "column", []);
}

test("what the usual names give, first what each user needs", () => {
  expect(proposed("vorname", "mail", "kunden_nr", "handy")).toBe(
    "userId=kunden_nr,email=mail,firstName=vorname,phone=handy",
  );
});

test("a placeholder stands for what is needed and not found", () => {
  expect(proposed("vorname")).toBe("userId=<column>,email=<column>,firstName=vorname");
});

test("each column of states is named, and of other fields the first", () => {
  expect(proposed("id", "uuid", "mail", "active", "locked_at")).toBe("userId=id,email=mail,state=active|locked_at");
  expect(proposed("id", "mail", "is_active", "locked")).toBe("userId=id,email=mail,state=is_active|locked");
});

test("a user name that is not the address is named, and passwords are taken for hashes", () => {
  expect(proposed("id", "mail", "login", "passwort")).toBe("userId=id,email=mail,userName=login,hash=passwort");
});

test.each([
  ["words of yes and no", ["t", "", "f"], true],
  ["German ones", ["ja", "Nein"], true],
  ["flags", [false, null, true], true],
  ["other words", ["yes", "abroad"], false],
  ["moments", ["2024-03-01"], false],
  ["nothing", ["", undefined], false],
])("a column of %s with the name confirmed says whether addresses are verified: %j, %s", (_, confirmed, expected) => {
  const map = "userId=id,email=mail";
  expect(proposedOf({ id: [1], mail: [], confirmed })).toBe(expected ? `${map},emailVerified=confirmed` : map);
});

test("what another column says by its name comes first, and what is said of a phone number is not of the address", () => {
  const verified = ["yes"];
  expect(proposedOf({ id: [], mail: [], verified, email_verified: [] })).toContain("emailVerified=email_verified");
  expect(proposedOf({ id: [], "email.mail": [], "email.verified": verified })).toContain(
    "emailVerified=email.verified",
  );
  expect(proposedOf({ id: [], mail: [], "phone.verified": verified })).not.toContain("emailVerified");
});

test("each column of roles and groups is named, as far as they are texts", () => {
  expect(proposedOf({ id: [], mail: [], rolle: ["a"], gruppen: ["x|y"] })).toBe(
    "userId=id,email=mail,roles=rolle|gruppen",
  );
  expect(proposedOf({ id: [], mail: [], roles: [["a", "b"], []] })).toBe("userId=id,email=mail,roles=roles");
  expect(proposedOf({ id: [], mail: [], roles: [["a"], [{ id: 1 }]] })).toBe("userId=id,email=mail");
});
