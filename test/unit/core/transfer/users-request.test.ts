import { expect, test } from "vitest";
import { laterState, toUsersRequest } from "../../../../src/core/transfer/users-request.ts";

const profile = { firstName: "Ada", lastName: "Lovelace" };
const email = { email: "ada@example.com", isEmailVerified: true };
const entry = (user: object, outer: object = {}) => ({
  userId: "auth0|1",
  user: { userName: "ada", profile, email, ...user },
  ...outer,
});
const request = (user: object, noMail = false) => toUsersRequest(entry(user), "org1", [], { noMail });

test("a verified user is created as verified, and absent fields stay absent", () => {
  expect(request({})).toEqual({
    userId: "auth0|1",
    username: "ada",
    organization: { orgId: "org1" },
    profile: { givenName: "Ada", familyName: "Lovelace" },
    email: { email: "ada@example.com", isVerified: true },
  });
});

test("every field that an entry may hold is in the request", () => {
  const full = {
    profile: { ...profile, nickName: "A", displayName: "Ada L", preferredLanguage: "de", gender: "GENDER_FEMALE" },
    phone: { phone: "+41791234567", isPhoneVerified: true },
    hashedPassword: { value: "$2b$10$x" },
    password: "never looked at beside a hash",
    passwordChangeRequired: true,
    otpCode: "JBSWY3DPEHPK3PXP",
    idps: [
      { configId: "idp", externalUserId: "ext", displayName: "Ada at work" },
      { configId: "idp", externalUserId: "ext2" },
    ],
  };
  const metadata = [{ item: 7, key: "plan", value: "Z29sZA==" }];
  expect(toUsersRequest(entry(full), "org1", metadata, { noMail: false })).toMatchObject({
    profile: {
      givenName: "Ada",
      familyName: "Lovelace",
      nickName: "A",
      displayName: "Ada L",
      preferredLanguage: "de",
      gender: "GENDER_FEMALE",
    },
    phone: { phone: "+41791234567", isVerified: true },
    hashedPassword: { hash: "$2b$10$x", changeRequired: true },
    totpSecret: "JBSWY3DPEHPK3PXP",
    idpLinks: [
      { idpId: "idp", userId: "ext", userName: "Ada at work" },
      { idpId: "idp", userId: "ext2", userName: "ext2" },
    ],
    metadata: [{ key: "plan", value: "Z29sZA==" }],
  });
  expect(request({ password: "Secret1!", passwordChangeRequired: true })).toMatchObject({
    password: { password: "Secret1!", changeRequired: true },
  });
});

test("both spellings are read", () => {
  const snake = {
    user_name: "grace",
    profile: { first_name: "Grace", last_name: "Hopper" },
    email: { email: "g@example.com", is_email_verified: true },
    hashed_password: { value: "$2b$10$x" },
    otp_code: "JBSWY3DPEHPK3PXP",
  };
  expect(toUsersRequest({ user_id: "g", user: snake }, "o", [], { noMail: false })).toEqual({
    userId: "g",
    username: "grace",
    organization: { orgId: "o" },
    profile: { givenName: "Grace", familyName: "Hopper" },
    email: { email: "g@example.com", isVerified: true },
    hashedPassword: { hash: "$2b$10$x" },
    totpSecret: "JBSWY3DPEHPK3PXP",
  });
});

test("the service asks for proof of an unverified address, and with --no-mail it does not", () => {
  const unverified = { email: { email: "ada@example.com" }, phone: { phone: "+41791234567" } };
  expect(request(unverified)).toMatchObject({ email: { sendCode: {} }, phone: { sendCode: {} } });
  expect(request(unverified, true)).toMatchObject({ email: { returnCode: {} }, phone: { returnCode: {} } });
});

test("a user without an id gets one from the service", () => {
  expect("userId" in toUsersRequest({ user: entry({}).user }, "o", [], { noMail: false })).toBe(false);
});

test.each([
  ["USER_STATE_INACTIVE", "deactivate"],
  [2, "deactivate"],
  ["USER_STATE_LOCKED", "lock"],
  [4, "lock"],
  ["USER_STATE_ACTIVE", undefined],
  ["USER_STATE_INITIAL", undefined],
  [undefined, undefined],
])("the state %s is reached by %s", (state, call) => {
  expect(laterState(entry({}, { state }))).toBe(call);
});
