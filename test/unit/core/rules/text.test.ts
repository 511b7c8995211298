import { describe, expect, test } from "vitest";
import {
  emailProblem,
  isLongerThan,
  isPhoneNumber,
  optionalTextFault,
  textFault,
} from "../../../../src/core/rules/text.ts";

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

test("lengths are code points: an emoji counts once", () => {
  expect(isLongerThan("😀".repeat(200), 200)).toBe(false);
  expect(isLongerThan("😀".repeat(201), 200)).toBe(true);
  expect(textFault("x".repeat(201), 200)).toEqual({ code: "field.too-long", limit: 200, unit: "characters" });
});

test("a required text is not empty, an optional one may be", () => {
  expect(textFault("", 200)).toEqual({ code: "field.missing" });
  expect(optionalTextFault("", 200)).toBeUndefined();
});

test("what no JSON reader or database takes is named", () => {
  expect(textFault("a\0b", 200)).toEqual({ code: "field.nul" });
  expect(textFault("a\ud83d", 200)).toEqual({ code: "field.lone-surrogate" });
  expect(textFault("\ude00\ud83d", 200)).toEqual({ code: "field.lone-surrogate" });
  expect(textFault("😀", 200)).toBeUndefined();
});

test("a phone number begins with a plus sign and has at most 50 characters", () => {
  expect(isPhoneNumber("+41791234567")).toBe(true);
  expect(isPhoneNumber("0791234567")).toBe(false);
  expect(isPhoneNumber("")).toBe(false);
  expect(isPhoneNumber(`+${"1".repeat(50)}`)).toBe(false);
});
