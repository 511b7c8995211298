import { expect, test } from "vitest";
import {
  correctedAddress,
  faultOf,
  faultOfValues,
  flagFor,
  flagsOfColumns,
  hasHost,
  wordsOf,
  wordsOfFlag,
} from "../../../../src/commands/start/answers.ts";
import { options as csvOptions } from "../../../../src/sources/csv/options.ts";

test.each([
  "https://acme.example.com",
  "acme.zitadel.cloud",
  "localhost:8080",
  "http://zitadel:8080",
  "https://[::1]:8080",
  "müller.example",
])("an address: %s", (text) => expect(hasHost(text)).toBe(true));

test.each(["eyJhbGciOiJB.eyJpc3M.abc", "k3Jd8_sdf-kjhKJH", "a".repeat(70), ""])("no address: %s", (text) => {
  expect(hasHost(text)).toBe(false);
  expect(faultOf(text)).toBe("This is no address, such as https://acme.example.com. The token is asked for next.");
});

test("an address with a page is refused with the reason, and a good one is not", () => {
  expect(faultOf("https://acme.example.com/ui/console")).toContain("/ui/console");
  expect(faultOf("acme.example.com")).toBeUndefined();
});

test.each([
  ["localhost:8080", "http-expected", "http://localhost:8080"],
  ["https://127.0.0.1:8080/zitadel", "http-expected", "http://127.0.0.1:8080/zitadel"],
  ["http://localhost:8080", "https-expected", "https://localhost:8080"],
  // Plain http to another machine is no answer.
  ["https://acme.example.com", "http-expected", "https://acme.example.com"],
  ["https://acme.example.com", "refused", "https://acme.example.com"],
] as const)("%s with the problem %s is corrected to %s", (address, reason, corrected) => {
  expect(correctedAddress(address, { code: "net.unreachable", host: "h", reason, detail: "" })).toBe(corrected);
});

test.each([
  ["https://new.example.com/admin/v1/orgs/_search", "https://new.example.com"],
  ["https://login.example.com/login", "old.example.com"],
  ["/admin/v1/orgs/_search", "old.example.com"],
])("a redirect to %s leads to %s", (location, corrected) => {
  expect(correctedAddress("old.example.com", { code: "api.redirected", host: "h", location })).toBe(corrected);
});

test("words are between commas or semicolons, and each has one meaning", () => {
  const before = wordsOf(" state:a=active;state:b, c=locked ", []);
  expect(before).toEqual(["state:a=active", "state:b, c=locked"]);
  expect(wordsOf("", before)).toEqual(before);
  expect(wordsOf("state: A=deleted, gender:w=female", before)).toEqual([
    ...["state: A=deleted", "state:b, c=locked", "gender:w=female"],
  ]);
});

test("what an option does not take is said as a sentence", () => {
  const option = csvOptions.words;
  expect(faultOfValues(option, ["state:a=active"])).toBeUndefined();
  expect(faultOfValues(undefined, ["state"])).toBeUndefined();
  expect(faultOfValues(option, ["state"])).toMatch(/^It must be a field, a text and a word, such as /);
});

test("columns are a map or a preset, or both", () => {
  expect(flagsOfColumns("")).toEqual([]);
  expect(flagsOfColumns("clerk")).toEqual(["--preset", "clerk"]);
  expect(flagsOfColumns("userId=id")).toEqual(["--map", "userId=id"]);
  expect(flagsOfColumns("userId=id,email=mail")).toEqual(["--map", "userId=id,email=mail"]);
  expect(flagsOfColumns("generic,userId=Kunden Nr,email=mail")).toEqual([
    ...["--preset", "generic", "--map", "userId=Kunden Nr,email=mail"],
  ]);
  expect(flagsOfColumns("firebase-csv userId=id")).toEqual(["--preset", "firebase-csv", "--map", "userId=id"]);
});

test("a flag that carries a field over has the field in it", () => {
  const carriedBy = { "": "--map metadata.<key>=<path>", nickname: "--profile full" };
  expect(flagFor("nickname", carriedBy)).toBe("--profile full");
  for (const secret of ["pw", "password_hash", "Kennwort", "user.salt"])
    expect(flagFor(secret, carriedBy)).toBeUndefined();
  expect(flagFor("cost $&", carriedBy)).toBe("--map metadata.cost $&=cost $&");
  expect(flagFor("other", {})).toBeUndefined();
  expect(wordsOfFlag("--metadata home town")).toEqual(["--metadata", "home town"]);
  expect(wordsOfFlag("--switch")).toEqual(["--switch"]);
});
