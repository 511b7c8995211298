import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { hashKinds } from "../../../../src/core/rules/hash-kinds.ts";
import { options } from "../../../../src/sources/csv/options.ts";

const noFile = (): string => "";
const map = (...given: readonly string[]) => options.mapping.read(given, noFile);

describe("--map", () => {
  test("takes pairs with commas between them, any number of times; the last one of a field counts", () => {
    expect(map("userId=id,e-mail=mail", "metadata.plan=plan ,user_id = uid")).toEqual({
      fields: { userId: "uid", email: "mail" },
      metadata: { plan: "plan" },
    });
  });

  test("takes names of columns with commas and equals signs in them", () => {
    expect(map("email=E-mail, work,userId=a=b").fields).toEqual({ email: "E-mail, work", userId: "a=b" });
  });

  test.each([
    ["a field that there is none of", "mail=mail", /no field mail; there are userId/],
    ["half a pair", "userId=", /two parts/],
    ["nothing", "", /two parts/],
  ])("refuses %s", (_, text, message) => {
    expect(() => map(text)).toThrow(message);
  });
});

test("--preset knows its presets, Firebase's also by its short name", () => {
  expect(options.preset.read(["firebase"], noFile)?.id).toBe("firebase-csv");
  expect(options.preset.read([], noFile)).toBeUndefined();
  expect(() => options.preset.read(["ckerk"], noFile)).toThrow(/clerk, cognito/);
});

test.each([
  ["preset", ["clerk", "okta"], expect.objectContaining({ id: "okta" })],
  ["phoneCountry", ["DE", "at"], "AT"],
  ["hashKind", ["ntlm", "bcrypt"], "bcrypt"],
  ["bcryptCost", ["12", "11"], 11],
] as const)("of several values of %s, the last one counts", (name, given, expected) => {
  expect(options[name].read(given, noFile)).toEqual(expected);
});

test.each([["3"], ["17"], ["ten"], ["10.5"]])("--bcrypt-cost %s is refused", (text) => {
  expect(() => options.bcryptCost.read([text], noFile)).toThrow(/from 4 to 16/);
});

test("--hash-kind knows every name, also of kinds that are refused row by row", () => {
  expect(options.hashKind.read(["Better-Auth"], noFile)).toBe("Better-Auth");
  expect(options.hashKind.read(["ntlm"], noFile)).toBe("ntlm");
  expect(() => options.hashKind.read(["magic"], noFile)).toThrow(/bcrypt/);
});

test("--value says what a word means as a kind of hash, also one of a kind that is refused row by row", () => {
  const words = options.words.read(["hashKind:MD5-SALT=md5_salt_prefix", "hash_kind:SHA=sha1"], noFile);
  expect([...(words.get("hashKind") ?? [])]).toEqual([
    ["md5-salt", "md5_salt_prefix"],
    ["sha", "sha1"],
  ]);
  expect(() => options.words.read(["hashKind:MD5-SALT=magic"], noFile)).toThrow(
    /magic .* hashKind; .* one of .*bcrypt/,
  );
});

test("the page names all kinds of hashes", () => {
  const page = readFileSync("src/sources/csv/README.md", "utf8");
  const kinds = hashKinds.filter((kind) => !page.includes(`\`${kind.replace(/sha(?:256|512)_salt/, "sha1_salt")}\``));
  expect(kinds).toEqual([]);
});
