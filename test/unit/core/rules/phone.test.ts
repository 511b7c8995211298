import { expect, test } from "vitest";
import { phoneOf } from "../../../../src/core/rules/phone.ts";

test.each([
  ["+41791234567", "+41791234567"],
  [" +44 1234 567890 ", "+441234567890"],
  ["+1 (202) 555-0123", "+12025550123"],
])("takes %j", (text, number) => expect(phoneOf(text)).toBe(number));

test.each(["", "0791234567", "+999123456", "+1", "+0123456789", "+", "+41 abc", `+41${"7".repeat(60)}`])(
  "leaves out %j, which the service refuses or misreads",
  (text) => expect(phoneOf(text)).toBeUndefined(),
);

test("with a country, a national number gets its code if it is valid there", () => {
  expect(phoneOf("0171 1234567", "DE")).toBe("+491711234567");
  expect(phoneOf("(079) 123 45 67", "CH")).toBe("+41791234567");
  expect(phoneOf("+41 79 123 45 67", "DE")).toBe("+41791234567");
  for (const text of ["12", "0171", "call me", "", "0171 123456789012345"])
    expect(phoneOf(text, "DE"), text).toBeUndefined();
});

test("a number that may have lost its plus sign is not read as a national one", () => {
  expect(phoneOf("49 171 1234567", "DE")).toBeUndefined();
  expect(phoneOf("1711234567", "DE")).toBe("+491711234567"); // a table without leading zeros
  expect(phoneOf("1 202 555 0123", "US")).toBe("+12025550123");
  expect(phoneOf("34 612 34 56 78", "ES")).toBe("+34612345678");
});
