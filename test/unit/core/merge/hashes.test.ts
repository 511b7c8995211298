import { createHash, pbkdf2Sync, scryptSync } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { createHashJudge } from "../../../../src/core/merge/hashes.ts";
import { hashKinds, hashOfKind, isHashKind } from "../../../../src/core/rules/hash-kinds.ts";
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
  expect(read("pbkdf2_sha1_salt_text", { hash: "two words" })).toEqual({ refused: "not-convertible" });
  // Without how the salt is written, it is not guessed.
  for (const kind of ["pbkdf2", "pbkdf2_sha1", "pbkdf2_sha256", "pbkdf2_sha512"]) {
    expect([kind, read(kind)]).toEqual([kind, { refused: "salt-place" }]);
  }
});

test("a kind is known in any spelling, and an unknown one is refused as such", () => {
  expect(isHashKind("Salted-PBKDF2-HMAC-SHA256")).toBe(true);
  expect(isHashKind("constructor")).toBe(false);
  expect(hashOfKind("constructor", { hash: "x" })).toEqual({ refused: "unknown-name" });
  expect(hashKinds).not.toContain("ntlm");
  expect(isHashKind("ntlm")).toBe(true);
});
