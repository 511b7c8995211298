import { expect, test } from "vitest";
import { describeHashes } from "../../../src/ui/describe-hashes.ts";

test("says nothing while bcrypt is all there is", () => {
  expect(describeHashes({ hashes: { bcrypt: 3 }, unverifiable: {} }, ["bcrypt"])).toEqual([]);
});

test("names the setting that written hashes need", () => {
  const hashes = { pbkdf2: 1_200, bcrypt: 2, argon2: 3 };
  expect(describeHashes({ hashes, unverifiable: {} }, ["bcrypt", "argon2", "pbkdf2"])).toEqual([
    "hashes         2 bcrypt, 3 argon2, 1,200 pbkdf2; on the target: ZITADEL_SYSTEMDEFAULTS_PASSWORDHASHER_VERIFIERS=argon2,pbkdf2",
  ]);
});

test("says of hashes that were not taken how they would be", () => {
  const lines = describeHashes({ hashes: {}, unverifiable: { pbkdf2: 1, argon2: 2 } }, ["bcrypt"]);
  expect(lines).toEqual([
    "not taken      2 argon2, 1 pbkdf2: nobody could sign in with these, since the target checks bcrypt alone",
    "               to take them: ZITADEL_SYSTEMDEFAULTS_PASSWORDHASHER_VERIFIERS=argon2,pbkdf2 on the target, and --target-verifiers bcrypt,argon2,pbkdf2 here",
  ]);
});
