import { expect, test } from "vitest";
import { UserDirectory } from "../../../../src/core/transfer/user-directory.ts";

const event = (type: string, id: string, payload: object = {}, resourceOwner = "o") => ({
  aggregate: { id, resourceOwner },
  type: { type },
  payload,
});
const added = (id: string, userName: string, org = "o") => event("user.human.added", id, { userName }, org);

function directoryOf(...events: readonly ReturnType<typeof event>[]): UserDirectory {
  const directory = new UserDirectory();
  for (const one of events) directory.take(one);
  return directory;
}

test("a user exists from the creation to the removal, after which the name is free", () => {
  const directory = directoryOf(added("a", "Ada"), event("user.machine.added", "b", { userName: "bot" }));
  expect(directory.orgOf("a")).toBe("o");
  expect(directory.isTaken("ADA", "other")).toBe(true);
  expect(directory.isTaken("bot", "other")).toBe(true);
  directory.take(event("user.removed", "a"));
  expect(directory.orgOf("a")).toBeUndefined();
  expect(directory.isTaken("ada", "other")).toBe(false);
  directory.take(added("a", "ada"));
  expect(directory.orgOf("a")).toBe("o");
  expect(directory.isTaken("ada", "o")).toBe(true);
});

test("users are removed with their organization, their ids stay taken, and their names are free", () => {
  const directory = directoryOf(added("a", "ada"), added("b", "bob", "p"), event("org.removed", "o"));
  expect(directory.orgOf("a")).toBeUndefined();
  expect(directory.removedWith("a")).toBe("o");
  expect(directory.isTaken("ada", "p")).toBe(false);
  expect(directory.removedWith("b")).toBeUndefined();
  for (const one of [event("org.added", "o"), added("c", "ada"), event("user.removed", "a")]) directory.take(one);
  expect(directory.orgOf("c")).toBe("o");
  expect(directory.isTaken("ada", "o")).toBe(true);
  expect(directory.removedWith("a")).toBeUndefined();
});

test("a new name takes the place of the old one", () => {
  const directory = directoryOf(added("a", "ada"), event("user.username.changed", "a", { userName: "lovelace" }));
  expect(directory.isTaken("ada", "o")).toBe(false);
  expect(directory.isTaken("lovelace", "o")).toBe(true);
});

test("where the policy says so, a name is taken in its organization alone", () => {
  const policy = event("org.policy.domain.added", "o", { userLoginMustBeDomain: true });
  const directory = directoryOf(policy, added("a", "ada", "o"), added("b", "bob", "p"));
  expect(directory.isTaken("ada", "o")).toBe(true);
  expect(directory.isTaken("ada", "p")).toBe(false);
  expect(directory.isTaken("bob", "q")).toBe(true);
  const byDefault = directoryOf(
    event("instance.policy.domain.added", "i", { userLoginMustBeDomain: true }),
    added("a", "ada"),
  );
  expect(byDefault.isTaken("ada", "p")).toBe(false);
});

test("an expected user exists for the users after it", () => {
  const directory = directoryOf();
  directory.expect("a", "ada", "o");
  expect(directory.orgOf("a")).toBe("o");
  expect(directory.isTaken("Ada", "p")).toBe(true);
  directory.expect("", "nameless", "o");
  expect(directory.orgOf("")).toBeUndefined();
  expect(directory.isTaken("nameless", "o")).toBe(true);
});

test.each([
  ["istanbul", "İstanbul", true],
  ["ΑΣ", "ασ", true],
  ["ΑΣ", "ας", false],
  ["straße", "STRAẞE", true],
  ["strasse", "straße", false],
  ["kelvin", "\u212Aelvin", true],
  ["ılgaz", "Ilgaz", false],
  ["ada", " ada", true],
])("the names %s and %s are one for the service: %s (service behaviour 0.5)", (one, other, isOne) => {
  expect(directoryOf(added("a", one)).isTaken(other, "o")).toBe(isOne);
});
