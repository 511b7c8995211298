import { expect, test } from "vitest";
import { emailViolation } from "../../../../src/mock/protojson/go-email.ts";

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
])("PGV takes %j", (text) => {
  expect(emailViolation(text)).toBeUndefined();
});

test.each([
  ["", "mail: no address"],
  ["ada", "mail: missing '@' or angle-addr"],
  ["ada lovelace", "mail: no angle-addr"],
  ["ada@", "mail: missing '@' or angle-addr"],
  ["@example.com", "mail: missing word in phrase: mail: invalid string"],
  ["Ada <ada@example.com", "mail: unclosed angle-addr"],
  ["Ada <ada>", "mail: missing @ in addr-spec"],
  ["ada@example.com, ada@example.com", 'mail: expected single address, got ", ada@example.com"'],
  [`${"a".repeat(65)}@example.com`, "email address local phrase cannot exceed 64 characters"],
  ["ada@-example.com", "hostname parts cannot begin with hyphens"],
  ["ada@ex_ample.com", 'hostname parts can only contain alphanumeric characters or hyphens, got "_"'],
  [`ada@${"a".repeat(64)}.com`, "hostname part must be non-empty and cannot exceed 63 characters"],
])("PGV says against %j: %s", (text, words) => {
  expect(emailViolation(text)).toBe(words);
});
