import { createHash, pbkdf2Sync, scryptSync } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { hashCostNames, hashCosts } from "../../../../src/contract/hash-limits.ts";
import { verifiers } from "../../../../src/contract/verifiers.ts";
import { createHashJudge } from "../../../../src/core/merge/hashes.ts";
import { hashKindOf } from "../../../../src/core/rules/hash-forms.ts";
import { hashKinds, hashOfKind, isHashKind } from "../../../../src/core/rules/hash-kinds.ts";
import { hashRules } from "../../../../src/problem/rules.ts";
import { type HashVector, hashVectors, judgeVector } from "../../../helpers/hash-vectors.ts";

// test/real/hashes.test.ts signs in with each of them at a running service.

const EXPECTED = "fixtures/hashes/expected.json";
const judged = Object.fromEntries(hashVectors.map((vector) => [vector.name, judgeVector(vector)]));
if (process.env["ACCEPT_FIXTURES"] === "1") writeFileSync(EXPECTED, `${JSON.stringify(judged, null, 1)}\n`);
const expected: Record<string, object> = JSON.parse(readFileSync(EXPECTED, "utf8"));

test.each(hashVectors)("$name becomes what a service was signed in at with", (vector) => {
  expect(judgeVector(vector)).toEqual(expected[vector.name]);
});

test("no two vectors have one name", () => {
  expect(Object.keys(expected)).toHaveLength(hashVectors.length);
});

describe("the converted form is the password's own, computed anew", () => {
  const computable = hashVectors.filter((vector) => recompute(vector) !== undefined);
  test("for the forms that Node can compute", () => {
    expect(computable.length).toBeGreaterThan(25);
  });
  test.each(computable)("$name", (vector) => {
    expect(recompute(vector)).toBe(true);
  });
});

/** Whether the judged form is that of the password; undefined for forms that Node cannot compute. */
function recompute(vector: HashVector): boolean | undefined {
  const result = judgeVector(vector);
  if (result.kind !== "good") return undefined;
  const bytes = (text: string): Buffer => Buffer.from(text.replaceAll(".", "+"), "base64");
  const [, kind = "", first = "", second = "", third = ""] = result.text.split("$");
  if (kind.startsWith("pbkdf2")) {
    const key = bytes(third);
    const digest = kind.slice("pbkdf2-".length) || "sha1";
    return pbkdf2Sync(vector.password, bytes(second), Number(first), key.length, digest).equals(key);
  }
  if (kind === "scrypt") {
    const [, ln = "", r = "", p = ""] = /^ln=(\d+),r=(\d+),p=(\d+)$/.exec(first) ?? [];
    const key = bytes(third);
    const cost = { N: 2 ** Number(ln), r: Number(r), p: Number(p), maxmem: 2 ** 28 };
    return scryptSync(vector.password, bytes(second), key.length, cost).equals(key);
  }
  const md5 = (text: string): Buffer => createHash("md5").update(text).digest();
  if (kind === "md5salted-prefix") return md5(first + vector.password).equals(bytes(second));
  if (kind === "md5salted-suffix") return md5(vector.password + first).equals(bytes(second));
  return result.verifier === "md5plain" ? md5(vector.password).equals(Buffer.from(result.text, "hex")) : undefined;
}

describe("what several systems write alike is not guessed at", () => {
  const judge = createHashJudge({
    verifiers: new Set(["scrypt", "md5plain", "md5salted", "pbkdf2"]),
    unverifiable: "reject",
  });
  const hex = (length: number): string => "ab".repeat(length);

  test.each([
    ["salt:key of better-auth and of Node's examples", `${hex(16)}:${hex(64)}`, "ambiguous"],
    ["hash:salt of Joomla and shops", `${hex(16)}:xy`, "ambiguous"],
    ["no text", "", "empty"],
    ["40 digits", hex(20), "sha"],
    ["a MySQL PASSWORD()", `*${hex(20).toUpperCase()}`, "sha"],
    ["an unknown scheme", "{X-OTHER}abc", "unknown-kind"],
    ["a plain password that says so", "{noop}secret", "plain"],
    ["yescrypt", "$y$j9T$abc$def", "unknown-kind"],
    ["crypt's DES", "{CRYPT}8rZR6.3O9Xov6", "des"],
    ["base64 that only begins like ASP.NET's", `AQ${"A".repeat(60)}`, "unknown-kind"],
    ["another digest of PBKDF2", "$pbkdf2-md5$1000$c2FsdA$aGFzaA", "unknown-kind"],
    ["wrappers in wrappers in wrappers", "{CRYPT}{CRYPT}{CRYPT}{CRYPT}$1$a$b", "prefix"],
  ])("%s", (_, text, rule) => {
    expect(judge(text)).toEqual({ kind: "bad", rule });
  });

  test("a salt that the service's form has no room for", () => {
    expect(hashOfKind("md5_salt_prefix", { hash: hex(16), salt: "with blank" })).toEqual({ refused: "salt" });
    expect(hashOfKind("md5_salt_prefix", { hash: hex(16), salt: "do$$ar" })).toEqual({ refused: "salt" });
    expect(hashOfKind("md5_salt_prefix", { hash: hex(16) })).toEqual({ refused: "salt" });
    expect(hashOfKind("md5", { hash: hex(16), salt: "abc" })).toEqual({ refused: "salt-place" });
  });
});

const KEY = "oRPqXd8U11SEpxcd+8tyMfO1mrwAPZXdqTHqRtDqzpM";
const SALT = "c2FsdHNhbHRzYWx0c2FsdA";
const crypt = (length: number): string => "saltSALT".repeat(11).slice(0, length);
const reject = createHashJudge({ verifiers: new Set(verifiers), unverifiable: "reject" });

describe("a cost that no service can compute is named", () => {
  test.each([
    ["argon2-time", `$argon2id$v=19$m=65536,t=0,p=4$${SALT}$${KEY}`],
    ["argon2-parallelism", `$argon2id$v=19$m=65536,t=3,p=0$${SALT}$${KEY}`],
    ["argon2-parallelism", `$argon2id$v=19$m=65536,t=3,p=256$${SALT}$${KEY}`],
    ["argon2-memory", `$argon2i$v=19$m=0,t=3,p=1$${SALT}$${KEY}`],
    ["argon2-time", `argon2$argon2id$v=19$m=65536,t=0,p=4$${SALT}$${KEY}`],
    ["pbkdf2-rounds", `$pbkdf2-sha256$0$${SALT}$${KEY}`],
    ["pbkdf2-rounds", `$pbkdf2-sha256$4294967296$${SALT}$${KEY}`],
    ["pbkdf2-rounds", `$pbkdf2-sha256$i=0,l=32$${SALT}$${KEY}`],
    ["pbkdf2-rounds", `pbkdf2_sha256$0$salt$${KEY}=`],
    ["scrypt-ln", `$scrypt$ln=0,r=8,p=1$${SALT}$${KEY}`],
    ["scrypt-ln", `$scrypt$ln=32,r=8,p=1$${SALT}$${KEY}`],
    ["scrypt-ln", `$scrypt$ln=63,r=8,p=1$${SALT}$${KEY}`],
    ["scrypt-ln", `$scrypt$ln=99,r=8,p=1$${SALT}$${KEY}`],
    ["scrypt-r", `$scrypt$ln=14,r=0,p=1$${SALT}$${KEY}`],
    ["scrypt-p", `$scrypt$ln=14,r=8,p=0$${SALT}$${KEY}`],
    ["sha256-rounds", `$5$rounds=999$salt$${crypt(43)}`],
    ["sha512-rounds", `$6$rounds=0$salt$${crypt(86)}`],
    ["sha512-rounds", `$6$rounds=1000000000$salt$${crypt(86)}`],
    ["phpass-rounds", `$P$.${crypt(30)}`],
    ["phpass-rounds", `$H$U${crypt(30)}`],
    ["drupal7-iterations", `$S$z${crypt(51)}`],
    ["bcrypt", `$2b$99$${crypt(53)}`],
  ])("%s of %s", (rule, text) => {
    expect(reject(text)).toEqual({ kind: "bad", rule });
    expect(hashKindOf(text)).toBe("none");
  });

  test.each(hashCostNames)("the reason for %s says what it may be", (name) => {
    const { least, most, verifier } = hashCosts[name];
    const ends = verifier === "bcrypt" ? "04 to 31" : `${least} to ${most}`;
    expect(hashRules[name].message).toContain(ends);
  });

  test("the least ones are accepted", () => {
    expect(reject(`$argon2id$v=19$m=8,t=1,p=1$${SALT}$${KEY}`)).toMatchObject({ kind: "good" });
    expect(reject(`$scrypt$ln=1,r=1,p=1$${SALT}$${KEY}`)).toMatchObject({ kind: "good" });
    expect(reject(`$pbkdf2$1$${SALT}$${KEY}`)).toMatchObject({ kind: "good" });
  });
});

test.each([
  ["no key", `$argon2id$v=19$m=65536,t=3,p=4$${SALT}`],
  ["an empty key", `$argon2id$v=19$m=65536,t=3,p=4$${SALT}$`],
  ["an empty salt", `$argon2id$v=19$m=65536,t=3,p=4$$${KEY}`],
  ["a key that is one short", `$argon2id$v=19$m=65536,t=3,p=4$${SALT}$${KEY.slice(0, -1)}`],
  ["a key that is two short", `$argon2id$v=19$m=65536,t=3,p=4$${SALT}$${KEY.slice(0, -2)}`],
  ["a padded key that is one short", `$argon2id$v=19$m=65536,t=3,p=4$${SALT}==$${KEY.slice(0, -1)}=`],
  ["an end in the costs", "$argon2id$v=19$m=655"],
  ["an end in the version", "$argon2id$v=1"],
  ["no key", `$pbkdf2-sha256$27500$${SALT}`],
  ["an empty salt", `$pbkdf2$27500$$${KEY}`],
  ["a key that is two short", `$pbkdf2-sha512$27500$${SALT}$${KEY.slice(0, -2)}`],
  ["an end in Kratos' rounds", "$pbkdf2-sha256$i=1000"],
  ["no key", `$scrypt$ln=14,r=8,p=1$${SALT}`],
  ["an empty salt", `$scrypt$ln=14,r=8,p=1$$${KEY}`],
  ["a key that is two short", `$scrypt$ln=14,r=8,p=1$${SALT}$${KEY.slice(0, -2)}`],
  ["a short key", "$6$salt$shorthash"],
  ["a key of $5$", `$6$salt$${crypt(43)}`],
  ["a short key", `$5$rounds=5000$salt$${crypt(42)}`],
  ["a short key", `$sha512-crypt$rounds=5000$salt$${crypt(85)}`],
  ["a short key", `$1$salt$${crypt(21)}`],
  ["no salt", `$1$$${crypt(22)}`],
  ["a short key", `$P$B${crypt(29)}`],
  ["a short key", `$S$D${crypt(50)}`],
  ["a short key", `$md5salted-suffix$salt$${SALT.slice(0, -4)}`],
  ["a short key", `{SMD5}${SALT.slice(0, -4)}`],
  ["no key", "pbkdf2_sha256$27500$salt$"],
  ["no key", "scrypt:32768:8:1$salt$"],
])("a damaged hash of a known kind, with %s, is called so: %s", (_, text) => {
  expect(reject(text)).toEqual({ kind: "bad", rule: "damaged" });
});

test("PBKDF2 whose salt is in a field of its own", () => {
  const key = "ab".repeat(32);
  const parts = { hash: key, salt: "c0ffee", iterations: "1000" };
  const b64 = (text: string, encoding: "utf8" | "hex"): string =>
    Buffer.from(text, encoding).toString("base64").replace(/=+$/, "");
  const read = (kind: string, more: object = {}) => hashOfKind(kind, { ...parts, ...more });
  expect(read("pbkdf2_sha1_salt_text")).toEqual({ hash: `$pbkdf2$1000$${b64("c0ffee", "utf8")}$${b64(key, "hex")}` });
  expect(read("PBKDF2-SHA512-salt-hex")).toEqual({
    hash: `$pbkdf2-sha512$1000$${b64("c0ffee", "hex")}$${b64(key, "hex")}`,
  });
  expect(read("pbkdf2_sha256_salt_base64", { hash: "q6urqw==" })).toEqual({
    hash: "$pbkdf2-sha256$1000$c0ffeQ$q6urqw",
  });
  expect(read("pbkdf2_sha1_salt_hex", { salt: "c0ffe" })).toEqual({ refused: "salt" });
  expect(read("pbkdf2_sha1_salt_base64", { salt: "?" })).toEqual({ refused: "salt" });
  expect(read("pbkdf2_sha1_salt_text", { salt: undefined })).toEqual({ refused: "salt" });
  expect(read("pbkdf2_sha1_salt_text", { iterations: undefined })).toEqual({ refused: "salt" });
  expect(read("pbkdf2_sha1_salt_text", { hash: "two words" })).toEqual({ hash: "two words" });
  // Without how the salt is written, it is not guessed.
  for (const kind of ["pbkdf2", "pbkdf2_sha1", "pbkdf2_sha256", "pbkdf2_sha512"]) {
    expect([kind, read(kind)]).toEqual([kind, { refused: "salt-place" }]);
  }
});

test.each([
  ["$2b$10$C9hB01.YxRSTcn/ZOOo4j.TW7xCKKFKBSF.C7E0xiUwumqIDqWUXG", { kind: "good", verifier: "bcrypt" }],
  [`$6$rounds=5000$salt$${crypt(86)}`, { kind: "good", verifier: "sha2" }],
  [`$1$salt$${crypt(22)}`, { kind: "good", verifier: "md5" }],
  [`$argon2id$v=19$m=65536,t=3,p=4$${SALT}$${KEY}`, { kind: "good", verifier: "argon2" }],
  [`$pbkdf2-sha256$1000$${SALT}$${KEY}`, { kind: "good", verifier: "pbkdf2" }],
  [`pbkdf2_sha256$1000$salt$${KEY}=`, { kind: "good", verifier: "pbkdf2" }],
  ["$2b$10$C9hB01", { kind: "bad", rule: "length" }],
  ["ab".repeat(20), { kind: "bad", rule: "sha" }],
  ["!unusable", { kind: "none" }],
])("%s is read by its form with each kind whose hashes are a key alone", (hash, expectedOf) => {
  for (const kind of ["md5", "md5_salt_prefix", "md5_salt_suffix", "salted_md5", "pbkdf2_sha256_salt_text"]) {
    if (kind.startsWith("pbkdf2") && /^[0-9a-f]+$/.test(hash)) continue; // a key
    for (const salt of [undefined, "xyz"]) {
      const read = hashOfKind(kind, { hash, salt, iterations: kind === "salted_md5" ? "1" : "1000" });
      expect([kind, read]).toEqual([kind, { hash }]);
      expect(reject(hash)).toMatchObject(expectedOf);
    }
  }
  expect(hashOfKind("bcrypt_sha256", { hash })).toEqual({ refused: "pre-hashed" });
});

test("a kind is known in any spelling, and an unknown one is refused as such", () => {
  expect(isHashKind("Salted-PBKDF2-HMAC-SHA256")).toBe(true);
  expect(isHashKind("constructor")).toBe(false);
  expect(hashOfKind("constructor", { hash: "x" })).toEqual({ refused: "unknown-name" });
  expect(hashKinds).not.toContain("ntlm");
  expect(isHashKind("ntlm")).toBe(true);
});
