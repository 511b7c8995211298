import { expect, test } from "vitest";
import { isLongerThan, isPhoneNumber, optionalTextFault, textFault } from "../../../../src/core/rules/text.ts";

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
