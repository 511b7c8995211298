import { expect, test } from "vitest";
import { describeRemarks } from "../../../src/problem/remark.ts";

test("the summary of a password change says that import carries it over by itself", () => {
  const [line] = describeRemarks({ "password-change": 2 });
  expect(line).toBe(
    "2 users have to change the password at the next sign-in; import carries that over (one by one through the users API where there is a hash), except with --via import",
  );
});
