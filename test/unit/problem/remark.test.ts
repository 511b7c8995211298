import { expect, test } from "vitest";
import { describeRemarks } from "../../../src/problem/remark.ts";

test("the summary of a password change says that import carries it over by itself", () => {
  const [line] = describeRemarks({ "password-change": 2 });
  expect(line).toBe(
    "2 users have to change the password at the next sign-in; import carries that over (one by one through the users API where there is a hash), except with --via import",
  );
});

test("one-time codes: it is said apart whether a key is kept", () => {
  const [lost, several] = describeRemarks({ "otp-lost": 1, "otp-several": 2 });
  expect(lost).toBe(
    "1 user has one-time codes of a kind that the service does not check; they will sign in without them",
  );
  expect(several).toBe(
    "2 users have several keys of one-time codes at the source: the first that the service checks is kept, and the others are dropped",
  );
});

test("users who are inactive or locked get no SMS", () => {
  expect(describeRemarks({ "phone-unverified": 2 })).toEqual([
    "2 users have an unverified phone number; the import sends an SMS to it, unless the user is inactive or locked",
  ]);
});
