import { describe, expect, test } from "vitest";
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
