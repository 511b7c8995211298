import { expect, test } from "vitest";
import type { HashRules } from "../../../../src/core/probe/find-hash-rules.ts";
import { migrateFlags } from "../../../../src/core/probe/migrate-flags.ts";

const lax: HashRules = { verifiers: ["bcrypt", "argon2", "md5"], checksCosts: false, limits: {}, notFound: [] };
const strict: HashRules = {
  verifiers: ["bcrypt", "pbkdf2", "md5plain"],
  checksCosts: true,
  limits: { bcrypt: { min: 10, max: 16 }, "pbkdf2-rounds": { min: 1000 } },
  notFound: [],
};

test("the exact limits, with an open end where the service has none", () => {
  expect(migrateFlags(strict, undefined)).toBe(
    "--target-verifiers bcrypt,pbkdf2,md5plain --target-limits bcrypt.minCost=10,bcrypt.maxCost=16,pbkdf2.minRounds=1000,pbkdf2.maxRounds=999999999",
  );
});

test("a service without limits: no default limit counts", () => {
  expect(migrateFlags(lax, undefined)).toBe("--target-verifiers bcrypt,argon2,md5 --target-limits none");
});

test("verifiers without costs need no limits", () => {
  const rules: HashRules = { verifiers: ["md5"], checksCosts: true, limits: {}, notFound: [] };
  expect(migrateFlags(rules, undefined)).toBe("--target-verifiers md5");
});

test("a service that verifies no known kind of hash has no flags", () => {
  expect(migrateFlags({ ...lax, verifiers: [] }, "v4.15")).toBeUndefined();
});

test.each([
  ["v4.13.1", "--target-version 4.13.1 "],
  ["v4.15-02d07e951", "--target-version 4.15 "],
  ["2.62.0", "--target-version 2.62.0 "],
  ["v4.15.1; rm -rf $(x)", "--target-version 4.15.1 "],
  ["v99.1", ""],
  ["v4-snapshot", ""],
  ["4.15x", ""],
  ["", ""],
])("of the version %j the flags have %j, and nothing else of its text", (version, begin) => {
  expect(migrateFlags(strict, version)).toBe(`${begin}${migrateFlags(strict, undefined)}`);
});
