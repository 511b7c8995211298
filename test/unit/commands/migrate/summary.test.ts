import { expect, test } from "vitest";
import { hashLines } from "../../../../src/commands/migrate/summary.ts";

const bcryptOnly = { verifiers: new Set(["bcrypt"] as const), unverifiable: "reject" as const };

test("says nothing while bcrypt is all there is", () => {
  expect(hashLines({ hashes: { bcrypt: 3 }, unverifiable: {}, remarks: {} }, bcryptOnly)).toEqual([]);
});

test("names the setting that written hashes need", () => {
  const verifiers = new Set(["bcrypt", "argon2", "pbkdf2"] as const);
  const hashes = { pbkdf2: 1_200, bcrypt: 2, argon2: 3 };
  expect(hashLines({ hashes, unverifiable: {}, remarks: {} }, { verifiers, unverifiable: "reject" })).toEqual([
    "hashes         2 bcrypt, 3 argon2, 1,200 pbkdf2; required on the target: ZITADEL_SYSTEMDEFAULTS_PASSWORDHASHER_VERIFIERS=argon2,pbkdf2",
  ]);
});

test("names the settings that would write the other hashes", () => {
  const lines = hashLines({ hashes: {}, unverifiable: { pbkdf2: 1, argon2: 2 }, remarks: {} }, bcryptOnly);
  expect(lines).toEqual([
    "not written    2 argon2, 1 pbkdf2: users with these could not sign in, because the target checks only bcrypt (--unverifiable drop|later writes them without a password)",
    "               to write them: ZITADEL_SYSTEMDEFAULTS_PASSWORDHASHER_VERIFIERS=argon2,pbkdf2 on the target, and --target-verifiers bcrypt,argon2,pbkdf2 here; orgferry doctor --probe then prints these flags with the limits of the costs",
  ]);
});

test.each(["drop", "later"] as const)(
  "users whose hashes were dropped are not called unwritten (%s)",
  (unverifiable) => {
    const [line] = hashLines(
      { hashes: {}, unverifiable: { argon2: 2 }, remarks: { "hash-dropped": 2 } },
      { ...bcryptOnly, unverifiable },
    );
    expect(line).toBe("hash dropped   2 argon2: these users have no password, because the target checks only bcrypt");
  },
);

test("dropped hashes of users who are not written are not said to be of written ones", () => {
  const result = { hashes: {}, unverifiable: { argon2: 2 }, remarks: { "hash-dropped": 1 } };
  const [line] = hashLines(result, { ...bcryptOnly, unverifiable: "later" });
  expect(line).toBe(
    "hash dropped   2 argon2, not all of them of written users: without these hashes, users have no password, because the target checks only bcrypt",
  );
});
