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
