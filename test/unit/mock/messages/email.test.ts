import { expect, test } from "vitest";
import { isEmail } from "../../../../src/mock/messages/email.ts";

test.each([
  "ada@example.com",
  " ada@example.com ",
  "Ada <ada@example.com>",
  '"Ada Lovelace" <ada@example.com>',
  "<ada@example.com>",
  '"ada l"@example.com',
  "ada@example.com (Ada)",
  "ädä@example.com",
  `${"a".repeat(64)}@example.com`,
])("the service's rules take %j", (text) => {
  expect(isEmail(text)).toBe(true);
});

test.each([
  "",
  "ada",
  "ada lovelace",
  "ada@",
  "@example.com",
  "Ada <ada@example.com",
  "Ada <ada>",
  "ada@example.com, ada@example.com",
  `${"a".repeat(65)}@example.com`,
  "ada@-example.com",
  "ada@ex_ample.com",
  `ada@${"a".repeat(64)}.com`,
  `${"a ".repeat(100_000)}`,
])("the service's rules refuse %j", (text) => {
  expect(isEmail(text)).toBe(false);
});
