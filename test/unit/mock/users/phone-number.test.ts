import { expect, test } from "vitest";
import { readPhone } from "../../../../src/mock/users/phone-number.ts";

const empty = "The phone number supplied was empty.";
const short = "Phone number had an IDD, but after this was not long enough to be a viable phone number.";

// What a service of version 4 made of each.
test.each([
  ["+0123456789", { fault: "invalid country code" }],
  ["+999123456789", { fault: "invalid country code" }],
  ["+1", { fault: empty }],
  ["+0", { fault: empty }],
  ["+", { fault: empty }],
  ["+abc", { fault: empty }],
  ["+12", { fault: short }],
  ["+41", { fault: short }],
  ["+123", { number: "+123" }],
  ["+4179", { number: "+4179" }],
  ["+4179123456789012", { number: "+4179123456789012" }],
  ["+41 79 nonsense", { number: "+417966673673" }],
  ["+1800FLOWERS", { number: "+18003569377" }],
  ["+41 79 123 45 67 ext 5", { number: "+41791234567" }],
  ["+41791234567x3", { number: "+41791234567" }],
  ["+410791234567", { number: "+41791234567" }],
  ["+49 (0)30 1234567", { number: "+49301234567" }],
  ["+39 06 12345678", { number: "+390612345678" }],
  ["+1 (555) 010-9999", { number: "+15550109999" }],
  ["079 123 45 67", { number: "+41791234567" }],
])("%s", (given, read) => {
  expect(readPhone(given)).toEqual(read);
});
