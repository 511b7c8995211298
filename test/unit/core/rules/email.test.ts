import { describe, expect, test } from "vitest";
import { emailProblem } from "../../../../src/core/rules/email.ts";

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
