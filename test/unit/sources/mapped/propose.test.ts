import { expect, test } from "vitest";
import { proposeMap } from "../../../../src/sources/mapped/propose.ts";

/** The proposal for a table with these columns. */
function proposed(...columns: readonly string[]): string {
  return proposeMap((names) => names.split("|").filter((name) => columns.includes(name)), "column", []);
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
