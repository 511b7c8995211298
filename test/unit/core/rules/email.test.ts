import { describe, expect, test } from "vitest";
import { capabilitiesOf } from "../../../../src/contract/versions.ts";
import { dependsOnVersion, emailProblem, usersApiEmailProblem } from "../../../../src/core/rules/email.ts";

describe("an e-mail address is taken", () => {
  test.each([
    "ada@example.com",
    "a.b+c_d!#$%&'*/=?^`{|}~-@sub.example-one.com",
    "ünïcode@example.com",
    "用户@example.com",
    `${"l".repeat(64)}@example.com`,
    `a@${"d".repeat(63)}.com`,
    "a@localhost",
    "a@xn--bcher-kva.example",
    "a@127.0.0.1",
  ])("%s", (address) => expect(emailProblem(address)).toBeUndefined());
});

describe("an e-mail address is refused", () => {
  test.each([
    ["", "shape"],
    ["ada", "shape"],
    ["@example.com", "shape"],
    [".a@example.com", "shape"],
    ["a.@example.com", "shape"],
    ["a..b@example.com", "shape"],
    ["a b@example.com", "shape"],
    [" a@example.com", "shape"],
    ['"a b"@example.com', "shape"],
    ["Ada <ada@example.com>", "shape"],
    ["a,b@example.com", "shape"],
    [`${"l".repeat(65)}@example.com`, "local-part-length"],
    [`${"ü".repeat(33)}@example.com`, "local-part-length"],
    [`a@${`${"d".repeat(60)}.`.repeat(4)}example.com`, "total-length"],
    [`${"l".repeat(60)}@${`${"d".repeat(60)}.`.repeat(3)}examples.com`, "total-length"],
    ["a@", "domain"],
    ["a@b@c", "domain"],
    ["a@example..com", "domain"],
    ["a@example.com.", "domain"],
    ["a@-example.com", "domain"],
    ["a@example-.com", "domain"],
    ["a@bücher.example", "domain"],
    ["a@exa_mple.com", "domain"],
    ["a@example.com ", "domain"],
    [`a@${"d".repeat(64)}.com`, "domain"],
  ])("%s: %s", (address, rule) => expect(emailProblem(address)).toBe(rule));
});

const OLD = capabilitiesOf("4.2.0");
const NEW = capabilitiesOf("4.15");

// service behaviour 9.5: each address was tried on all versions.
describe("the import endpoint", () => {
  test.each([
    "a@b_c.example",
    "a@exämple.com",
    "a@-example.com",
    "a@example-.com",
    "a@[127.0.0.1]",
    `${"l".repeat(65)}@example.com`,
    '"a b"@example.com',
    "a@example.com ",
    " a@example.com",
  ])("%j is accepted since 4.8.1", (address) => {
    expect(emailProblem(address, NEW)).toBeUndefined();
    expect(emailProblem(address, OLD)).toBeDefined();
    expect(emailProblem(address)).toBeDefined();
    expect(dependsOnVersion(address)).toBe(true);
  });

  test.each([
    "a..b@example.com",
    ".a@example.com",
    "a.@example.com",
    "a@example.com.",
    "a@b@example.com",
    "a",
    "@example.com",
    "a,b@example.com",
    "a@example..com",
    "Max <m@example.com>",
    "",
  ])("%j is refused by all versions", (address) => {
    for (const rules of [OLD, NEW]) expect(emailProblem(address, rules)).toBeDefined();
    expect(dependsOnVersion(address)).toBe(false);
  });

  test.each([
    "a+b@example.com",
    "a@localhost",
    "A@EXAMPLE.COM",
    "a@xn--exmple-cua.com",
    "o'b@example.com",
    "a!#$%&*=?^`{|}~b@example.com",
  ])("%j is accepted by all versions", (address) => {
    for (const rules of [OLD, NEW]) expect(emailProblem(address, rules)).toBeUndefined();
    expect(emailProblem(address)).toBeUndefined();
  });

  test("letters outside ASCII before the @ are accepted from 4.8.1 on, and by a migration", () => {
    for (const address of ["jürgen@firma.example", "иван@firma.example"]) {
      expect(emailProblem(address, OLD)).toBe("not-ascii");
      expect(usersApiEmailProblem(address, OLD)).toBe("not-ascii");
      expect(emailProblem(address, NEW)).toBeUndefined();
      expect(usersApiEmailProblem(address, NEW)).toBeUndefined();
      expect(emailProblem(address)).toBeUndefined();
      expect(dependsOnVersion(address)).toBe(true);
    }
  });

  test("more than 200 characters are accepted before 4.8.1 only", () => {
    const address = `a@${"d".repeat(60)}.${"d".repeat(60)}.${"d".repeat(60)}.example.com`;
    const long = `${address}${"m".repeat(201 - address.length)}`;
    expect(emailProblem(long.slice(0, 200), NEW)).toBeUndefined();
    expect(emailProblem(long, NEW)).toBe("length");
    expect(emailProblem(long)).toBe("length");
    expect(emailProblem(long, OLD)).toBeUndefined();
  });
});

test("the users API keeps the older rule", () => {
  expect(usersApiEmailProblem("a@b_c.example", NEW)).toBe("domain");
  expect(usersApiEmailProblem("a@example.com", NEW)).toBeUndefined();
});
